# Everything runs in .venv, which is built from setup.py's extras.
#
#   make demo                                  the node at work: goals in, joint states out
#   make demo ROBOT=arm.urdf TIP=tool SOLVER=ccd   the same with your own robot
#   make test | lint | bench | soak | setup

PYTHON ?= python3
BIN := .venv/bin

ROBOT ?=
TIP ?=
SOLVER ?=

.PHONY: setup demo test lint bench soak clean

setup: .venv/.demo .venv/.test

demo: .venv/.demo
	@$(BIN)/python -m ik_node.demo \
		$(if $(ROBOT),--robot '$(ROBOT)') $(if $(TIP),--tip '$(TIP)') $(if $(SOLVER),--solver '$(SOLVER)')

test: .venv/.test
	$(BIN)/python -m pytest

lint: .venv/.test
	$(BIN)/ruff check .
	$(BIN)/mypy

bench: .venv/.bench
	$(BIN)/python -m benchmark
	$(BIN)/python -m benchmark.analytic
	$(BIN)/python -m benchmark.service
	$(BIN)/python -m benchmark.scaling

soak: .venv/.test
	$(BIN)/python test/soak.py

clean:
	rm -rf .venv

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10) and "Python 3.10 or newer is needed, this is " + sys.version.split()[0])'
	@echo 'Making the environment in .venv (a few minutes, once) …'
	@$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --upgrade pip

.venv/.demo: .venv/bin/python setup.py
	@echo 'Installing what the node and its demo need …'
	@$(BIN)/python -m pip install -qq --editable '.[ros,plot]'
	@touch $@

.venv/.test: .venv/.demo
	@echo 'Installing what the tests need …'
	@$(BIN)/python -m pip install -qq --editable '.[ros,plot,test]'
	@touch $@

.venv/.bench: .venv/.demo
	@echo 'Installing the peers to compare with …'
	@$(BIN)/python -m pip install -qq --editable '.[ros,plot,bench]'
	@touch $@
