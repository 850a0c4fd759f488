# Everything runs in .venv, which is built from setup.py's extras.
#
#   make demo                                  the node at work: goals in, joint states out, and a
#                                              page to drag the goal on; HEADLESS=1: without it
#   make demo ROBOT=arm.urdf TIP=tool SOLVER=ccd   the same with your own robot
#   make demo ROBOT=arm_7r OBSTACLES=post      around a post; or around those of a YAML file
#   make test                                  what every change must pass, in four minutes
#   make test-all                              every test: all robots, processes, the page in Chromium
#   make sanitize                              the kernels' tests under gcc's sanitizers
#   make test-plain                            the same tests, the kernels as plain Python
#   make lint | docs | site | bench | soak | setup | pictures
#   make test ROS_DISTRO=jazzy                 with another ROS 2, in an environment of its own
#   make soak SOLVES=100000 MINUTES=2          a shorter one

PYTHON ?= python3

# Not the environment's ROS_DISTRO: a sourced ROS install says nothing of the wheels wanted here.
ROS_DISTRO := kilted
ifeq ($(filter $(ROS_DISTRO),kilted jazzy),)
$(error ROS_DISTRO must be kilted or jazzy, not '$(ROS_DISTRO)')
endif
VENV := $(if $(filter kilted,$(ROS_DISTRO)),.venv,.venv-$(ROS_DISTRO))
BIN := $(VENV)/bin
# Without editable_mode=compat, `import ik_node` in the folder above the checkout finds a namespace
# package, the checkout itself. What builds the kernels is in the environment, to build them again.
INSTALL := -m pip install -qq --no-build-isolation --config-settings editable_mode=compat --editable
KERNELS := $(shell find ik_node -name '*.pxd')
# Zig is a C compiler from PyPI.
ZIG := $(if $(shell command -v cc || command -v gcc || command -v clang),,ziglang)

# Not those of entry points and of the robots in urdf/, which are not in build/.
KERNEL_TESTS := --ignore test/solvers/test_plugins.py --ignore test/support/test_downloads.py $(addprefix test/,test_spatial.py support kinematics collision tasks solvers body_solvers motion workspace)
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
# Memory of Python's own allocator is not watched; what a process keeps until it ends is no leak.
SANITIZED = PYTHONPATH=build/sanitized/lib PYTHONMALLOC=malloc ASAN_OPTIONS=detect_leaks=0 \
	LD_PRELOAD='$(shell gcc -print-file-name=libasan.so) $(shell gcc -print-file-name=libstdc++.so)'
SANITIZED_SOLVES ?= 100000

ROBOT ?=
TIP ?=
SOLVER ?=
OBSTACLES ?=
SOLVES ?= 1000000
CALLS ?= 10000
TIMEOUTS ?= 1000
TOLERANCES ?= 200000
POSES ?= 100000
PATHS ?= 20
GOALS ?= 1000
INPUTS ?= 10000
FILES ?= 5000
ROBOTS ?= 1000
MINUTES ?= 10
ROUNDS ?= 2
START ?= 120
SEQUENCES ?= 200
SCENES ?= 100

.PHONY: setup demo test test-all test-plain sanitize lint docs site bench soak pictures clean

setup: $(VENV)/.demo $(VENV)/.test $(VENV)/.kernels

demo: $(VENV)/.demo $(VENV)/.kernels
	@$(BIN)/python -m ik_node.commands.demo \
		$(if $(ROBOT),--robot '$(ROBOT)') $(if $(TIP),--tip '$(TIP)') $(if $(SOLVER),--solver '$(SOLVER)') \
		$(if $(OBSTACLES),--obstacles '$(OBSTACLES)')

test: $(VENV)/.test $(VENV)/.kernels
	$(BIN)/python -m pytest -m 'not slow' --numprocesses 2 --dist worksteal

# Without a graphics processor two browsers at a time draw too slowly for a mouse.
test-all: $(VENV)/.test $(VENV)/.kernels
	$(BIN)/python -m pytest --ignore test/viewer/page --numprocesses 2 --dist worksteal
	$(BIN)/python -m pytest test/viewer/page

# First for addresses and undefined behaviour, then with Cython's checks of indices, whose errors
# within kernels are warnings.
sanitize: $(VENV)/.test
	CFLAGS='$(SANITIZE)' LDFLAGS='$(SANITIZE)' \
		$(BIN)/python setup.py --quiet build --build-base build/sanitized --build-lib build/sanitized/lib
	$(SANITIZED) $(BIN)/pytest -m 'not slow' -p no:cacheprovider $(KERNEL_TESTS)
	$(SANITIZED) $(BIN)/python test/soak.py --solves $(SANITIZED_SOLVES) --tolerances 0 --robots 0
	IK_NODE_BOUNDSCHECK=1 \
		$(BIN)/python setup.py --quiet build --build-base build/checked --build-lib build/checked/lib
	PYTHONPATH=build/checked/lib $(BIN)/pytest -m 'not slow' -p no:cacheprovider \
		-W error::pytest.PytestUnraisableExceptionWarning $(KERNEL_TESTS)

test-plain: $(VENV)/.test
	IK_NODE_PLAIN=1 $(BIN)/python -m pytest -m 'not slow' --numprocesses 2 --dist worksteal $(KERNEL_TESTS)

lint: $(VENV)/.test $(VENV)/.kernels
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/mypy examples/*.py examples/own_solver/*.py

docs: $(VENV)/.demo $(VENV)/.kernels
	$(BIN)/python docs/tables.py

site: $(VENV)/.test $(VENV)/.kernels
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict

bench: $(VENV)/.bench $(VENV)/.kernels
	$(BIN)/python -m benchmark
	$(BIN)/python -m benchmark.analytic
	$(BIN)/python -m benchmark.analytic_arms
	$(BIN)/python -m benchmark.service
	$(BIN)/python -m benchmark.latency
	$(BIN)/python -m benchmark.streams
	$(BIN)/python -m benchmark.viewer
	$(BIN)/python -m benchmark.scaling
	$(BIN)/python -m benchmark.bodies
	$(BIN)/python -m benchmark.collisions
	$(BIN)/python -m benchmark.collision_peers
	$(BIN)/python -m benchmark.failures
	$(BIN)/python -m benchmark.retargeting

soak: $(VENV)/.test $(VENV)/.kernels
	$(BIN)/python test/soak.py --solves $(SOLVES) --tolerances $(TOLERANCES) --robots $(ROBOTS)
	$(BIN)/python test/soak_calls.py --calls $(CALLS)
	$(BIN)/python test/soak_timeouts.py --solves $(TIMEOUTS)
	$(BIN)/python test/soak_distances.py --poses $(POSES)
	$(BIN)/python test/soak_bodies.py --goals $(GOALS)
	$(BIN)/python test/soak_paths.py --paths $(PATHS)
	$(BIN)/python test/soak_inputs.py --inputs $(INPUTS)
	$(BIN)/python test/soak_files.py --files $(FILES)
	$(BIN)/python test/soak_node.py --minutes $(MINUTES)
	$(BIN)/python test/soak_start.py --seconds $(START)
	$(BIN)/python test/soak_responsive.py --count $(ROUNDS)
	$(BIN)/python test/soak_published_motions.py
	$(BIN)/python test/soak_page.py
	$(BIN)/python test/soak_sequences.py --sequences $(SEQUENCES)
	$(BIN)/python test/soak_scenes.py --scenes $(SCENES)

pictures: $(VENV)/.bench $(VENV)/.kernels
	PYTHONPATH=. $(BIN)/python docs/pictures.py

clean:
	rm -rf .venv .venv-* build
	find ik_node -name '*.so' -delete

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10) and "Python 3.10 or newer is needed, this is " + sys.version.split()[0])'
	@echo 'Making the environment in $(VENV) (a few minutes, once) …'
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --upgrade pip

$(VENV)/.kernels: $(VENV)/.demo setup.py kernel_headers.py $(KERNELS) $(KERNELS:.pxd=.py)
	@$(BIN)/python setup.py --quiet build_ext --inplace
	@touch $@

$(VENV)/.demo: $(VENV)/bin/python setup.py
	@echo 'Installing what the node and its demo need …'
	@$(BIN)/python -m pip install --quiet 'Cython>=3.0.8' 'setuptools>=70.1' $(ZIG)
	@$(BIN)/python $(INSTALL) '.[$(ROS_DISTRO),plot,motion,viewer]'
	@touch $@

$(VENV)/.test: $(VENV)/.demo
	@echo 'Installing what the tests need …'
	@$(BIN)/python $(INSTALL) '.[$(ROS_DISTRO),plot,viewer,test]'
	@touch $@

$(VENV)/.bench: $(VENV)/.demo
	@echo 'Installing the peers to compare with …'
	@$(BIN)/python $(INSTALL) '.[$(ROS_DISTRO),plot,viewer,bench]'
	@touch $@
