"""Packages with solvers as plug-ins: the one under examples/, and others written here."""

import importlib
import importlib.metadata
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ik_node.solvers import registry

OWN_SOLVER = Path(__file__).parents[1] / 'examples/own_solver'


def install_own_solver(folder):
    """Make the example importable from a folder, with what setuptools writes of it."""
    setuptools = importlib.metadata.version('setuptools')
    if int(setuptools.split('.')[0]) < 61:
        pytest.skip(f'setuptools {setuptools} does not read pyproject.toml; 61 does')
    for file in ('pyproject.toml', 'least_squares_ik.py'):
        shutil.copy(OWN_SOLVER / file, folder)
    subprocess.run([sys.executable, '-c', 'from setuptools import setup; setup()', 'egg_info'],
                   cwd=folder, check=True, capture_output=True, timeout=120)


def write_package(folder, name, points, modules):
    """Write an installed package: entry points {solver: 'module:class'}, modules {name: code}."""
    info = folder / f'{name}-1.2.dist-info'
    info.mkdir(parents=True)
    (info / 'METADATA').write_text(f'Metadata-Version: 2.1\nName: {name}\nVersion: 1.2\n')
    (info / 'entry_points.txt').write_text('[ik_node.solvers]\n' + ''.join(
        f'{solver} = {value}\n' for solver, value in points.items()))
    for module, code in modules.items():
        (folder / f'{module}.py').write_text(code)


def activate(monkeypatch, folder):
    """Let this process, and those it starts, find the packages of a folder; ask for them anew."""
    monkeypatch.syspath_prepend(folder)
    path = os.environ.get('PYTHONPATH')
    monkeypatch.setenv('PYTHONPATH', f'{folder}:{path}' if path else str(folder))
    importlib.invalidate_caches()
    monkeypatch.setattr(registry, '_PLUGINS', registry._Plugins())


GOOD = '''
from dataclasses import dataclass
import numpy as np
from ik_node import StopReason, solver_names
from ik_node.support.options import option
from ik_node.plugins import Found, Solver
from ik_node.solvers.options import SolverOptions

NAMES = solver_names()  # asks for plug-ins while it is one that is imported

@dataclass(frozen=True)
class LazyOptions(SolverOptions):
    patience: float = option(2.0, 'how long nothing is done', 's', low=0.0)

class Lazy(Solver):
    name = 'lazy'
    Options = LazyOptions
    def _solve(self, goal, q0):
        off = float(np.linalg.norm(goal.pose[:3, 3] - self.chain.forward(q0)[:3, 3]))
        return Found(q0, False, StopReason.STALLED, off, 0.0, 0, 0)

class Taken(Lazy):
    name = 'dls'
'''

BROKEN = '''
from dataclasses import dataclass
from lazy_ik import Lazy
from ik_node.support.options import option
from ik_node.solvers.arm.base import Solver
from ik_node.solvers.options import SolverOptions

NUMBER = 3

class Nothing(Solver):
    name = 'nothing'

class Misnamed(Lazy):
    name = 'another'

class Upper(Lazy):
    name = 'Upper'

@dataclass(frozen=True)
class Bare(SolverOptions):
    gain: float = 1.0

class Undeclared(Lazy):
    name = 'undeclared'
    Options = Bare

@dataclass(frozen=True)
class Wrong(SolverOptions):
    gain: float = option(-1.0, 'a gain that is not allowed', low=0.0)

class WrongDefault(Lazy):
    name = 'wrong_default'
    Options = Wrong

class Foreign(Lazy):
    name = 'foreign'
    Options = dict
'''

# name of the entry point: (what it names, what is wrong with it)
REFUSED = {
    'missing': ('no_such_module:Solver', 'no_such_module:Solver cannot be imported: '
                "ModuleNotFoundError: No module named 'no_such_module'"),
    'absent': ('broken_ik:Absent', "AttributeError: module 'broken_ik' has no attribute 'Absent'"),
    'leaving': ('leaving_ik:Solver', 'leaving_ik:Solver cannot be imported: SystemExit: 3'),
    'raising': ('raising_ik:Solver', 'cannot be imported: ZeroDivisionError: division by zero'),
    'number': ('broken_ik:NUMBER', 'is no subclass of ik_node.solvers.arm.base.Solver'),
    'nothing': ('broken_ik:Nothing', 'broken_ik:Nothing does not define _solve'),
    'misnamed': ('broken_ik:Misnamed', "has the name 'another', not that of its entry point"),
    'Upper': ('broken_ik:Upper', 'a name must consist of lower-case letters'),
    'undeclared': ('broken_ik:Undeclared', "its option 'gain' is not declared by"),
    'wrong_default': ('broken_ik:WrongDefault', 'a default is not allowed: gain must be a number '
                      'of at least 0'),
    'foreign': ('broken_ik:Foreign', 'are no subclass of ik_node.solvers.options.SolverOptions'),
    'dls': ('lazy_ik:Taken', 'the name is taken already'),
}


def write_good_and_broken(folder):
    """Write a package with a solver that is one, and one with all that can be wrong."""
    write_package(folder, 'lazy', {'lazy': 'lazy_ik:Lazy'}, {'lazy_ik': GOOD})
    write_package(folder, 'rotten', {name: value for name, (value, _) in REFUSED.items()}, {
        'broken_ik': BROKEN, 'leaving_ik': 'raise SystemExit(3)', 'raising_ik': '1 / 0'})
