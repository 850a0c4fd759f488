"""With numba and without: the same functions, the same answers."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import robots
from ik_node import Goal, _jit, make_solver

ROOT = Path(__file__).parents[1]
NO_NUMBA = {'PYTEST_ADDOPTS': '-p no_numba', 'PYTHONPATH': str(ROOT / 'test')}


@pytest.mark.skipif(not _jit.HAVE_NUMBA, reason='numba is not installed: they run so already')
def test_the_kernels_tests_pass_without_numba():
    run = subprocess.run(
        [sys.executable, '-m', 'pytest', 'test/test_spatial.py', 'test/kinematics',
         'test/solvers/jacobian/test_linear.py', 'test/solvers/test_textbook.py',
         'test/solvers/ccd', 'test/test_jit.py'],
        cwd=ROOT, env={**os.environ, **NO_NUMBA}, capture_output=True, text=True, timeout=300,
        check=False)
    assert run.returncode == 0, run.stdout[-3000:] + run.stderr[-3000:]


def answers():
    """Return joint values found by every iterative method, in a row."""
    chain = robots.planar(1.0, 0.8, 0.5, limit=2.0)
    goal = Goal(position=[0.9, 1.1, 0.0])
    return np.concatenate([
        make_solver(name, chain, position_tolerance=1e-4, seed=1).solve(goal).q
        for name in ('pseudoinverse', 'dls', 'transpose', 'ccd')])


def test_the_answers_are_the_same_with_and_without_numba():
    run = subprocess.run(
        [sys.executable, '-c', 'import no_numba, test_jit; print(test_jit.answers().tolist())'],
        cwd=ROOT / 'test', env={**os.environ, 'PYTHONPATH': f'{ROOT}:{ROOT / "test"}'},
        capture_output=True, text=True, timeout=120, check=True)
    assert np.array(eval(run.stdout)) == pytest.approx(answers(), abs=1e-9)


def test_a_template_makes_one_kernel_for_each_method():
    double = _jit.specialise(_apply, 'apply_twice', _factor=_twice)
    triple = _jit.specialise(_apply, 'apply_thrice', _factor=_thrice)
    assert (double(1.5), triple(1.5)) == (3.0, 4.5)
    assert double.__name__ == 'apply_twice'


def _factor(x):
    raise NotImplementedError


@_jit.njit
def _twice(x):
    return 2.0 * x


@_jit.njit
def _thrice(x):
    return 3.0 * x


def _apply(x):
    return _factor(x)


@pytest.mark.skipif(not _jit.HAVE_NUMBA, reason='nothing is compiled without numba')
def test_the_cache_of_one_version_is_not_used_by_another(tmp_path):
    # A copy of the package whose callee differs must not run what the caller was compiled with.
    package = tmp_path / 'ik_node'
    package.mkdir()
    for name in ('__init__.py', 'exceptions.py'):
        (package / name).write_text('')
    (package / '_jit.py').write_text((ROOT / 'ik_node/_jit.py').read_text())
    (package / 'caller.py').write_text(
        'from ik_node._jit import njit\nfrom ik_node.callee import f\n'
        '@njit\ndef g(x):\n    return f(x) + 1.0\n')
    found = []
    for factor in ('2.0', '3.0', '2.0'):
        (package / 'callee.py').write_text(
            f'from ik_node._jit import njit\n@njit\ndef f(x):\n    return {factor} * x\n')
        run = subprocess.run(
            [sys.executable, '-c', 'from ik_node.caller import g; print(g(1.0))'], cwd=tmp_path,
            env={**os.environ, 'NUMBA_CACHE_DIR': str(tmp_path / 'cache'), 'PYTHONPATH': ''},
            capture_output=True, text=True, timeout=120, check=True)
        found.append(float(run.stdout))
    assert found == [3.0, 4.0, 3.0]


@pytest.mark.skipif(not _jit.HAVE_NUMBA, reason='numba is not installed')
def test_another_version_of_numba_has_kernels_of_its_own(monkeypatch):
    monkeypatch.setattr(_jit.numba, '__version__', '0.0.0')
    assert _jit._cache_folder() != _jit.CACHE_FOLDER
