"""Kernels as plain Python: the results of machine code, at the pace of the interpreter."""

import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import robots
from ik_node import Goal, StopReason, _jit, make_solver
from ik_node._jit.plain import plain_function

ROOT = Path(__file__).parents[2]
NO_NUMBA = {'PYTEST_ADDOPTS': '-p no_numba', 'PYTHONPATH': str(ROOT / 'test')}
INF, NAN = math.inf, math.nan

needs_numba = pytest.mark.skipif(not _jit.HAVE_NUMBA, reason='numba is not installed')


@_jit.entry
def arithmetic(x: float, y: float, k: int, out: _jit.Vector) -> None:
    root = math.sqrt(x)  # a Python float, which Python does not divide by zero
    out[0] = 1.0 / root
    out[1] = y / root
    out[2] = root / root
    out[3] = math.sqrt(y)
    out[4] = math.log(x) if y < 5.0 else math.log(y - 10.0)
    out[5] = math.acos(y)
    out[6] = math.asin(y)
    out[7] = (y * 1e200) ** 2
    out[8] = (root + 0.0) ** y
    out[9] = y ** 0.5
    out[10] = math.sin(y / root)
    out[11] = math.exp(1e4 * y)
    out[12] = (7 + k) % 5
    out[13] = 7 // 2 * 1.0
    out[14] = 1.0
    out[14] /= root
    out[15] = math.floor(y + 0.5)
    out[16] = max(y, root)
    out[17] = min(root, y)


@pytest.mark.parametrize(('x', 'y', 'expected'), [
    (4.0, 0.5, [0.5, 0.25, 1.0, 0.5 ** 0.5, math.log(4.0), math.pi / 3, math.pi / 6, INF,
                2.0 ** 0.5, 0.5 ** 0.5, math.sin(0.25), INF, 4.0, 3.0, 0.5, 1.0, 2.0, 0.5]),
    (0.0, -2.0, [INF, -INF, NAN, NAN, -INF, NAN, NAN, INF, INF, NAN, NAN, 0.0, 4.0, 3.0, INF,
                 -2.0, 0.0, -2.0]),
    (-0.0, 0.0, [-INF, NAN, NAN, 0.0, -INF, math.pi / 2, 0.0, 0.0, 1.0, 0.0, NAN, 1.0, 4.0, 3.0,
                 -INF, 0.0, 0.0, 0.0])])
@pytest.mark.parametrize('compiled', [False, pytest.param(True, marks=needs_numba)])
def test_division_by_zero_and_the_like_do_not_raise(x, y, expected, compiled):
    out = np.empty(18)
    if compiled:
        from ik_node._jit import machine_code
        machine_code.load(machine_code.build(arithmetic))[arithmetic.key](x, y, 2, out)
    else:
        arithmetic._run_plain(x, y, 2, out)
    assert out == pytest.approx(expected, rel=1e-15, nan_ok=True)
    assert [math.copysign(1.0, value) for value in out[:2] if value == value] == [
        math.copysign(1.0, value) for value in expected[:2] if value == value]


def test_a_line_of_a_plain_form_is_that_of_the_source():
    with pytest.raises(TypeError) as error:
        plain_function(arithmetic)(4.0, 'y', 2, np.empty(18))
    line, = (entry for entry in error.traceback if entry.name == 'arithmetic')
    assert (Path(line.path), str(line.statement).strip()) == (Path(__file__), 'out[1] = y / root')


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


def test_an_entry_says_which_argument_has_no_type():
    with pytest.raises(TypeError, match="its argument 'y' needs a type"):
        @_jit.entry
        def untyped(x: float, y):
            return x + y


@_jit.njit
def _never_ending(x):
    while True:
        x = _twice(x)


def test_the_time_of_plain_python_can_be_limited():
    with _jit.time_limit(0.05):
        with pytest.raises(_jit.OutOfTimeError, match='the time for plain Python is over'):
            _never_ending(1.0)
        assert _jit.time_is_over()
        with _jit.unlimited():
            assert _twice(1.0) == 2.0
    assert not _jit.time_is_over()
    assert _twice(1.0) == 2.0


@pytest.mark.parametrize('name', ['genetic', 'analytic'])
def test_a_search_whose_time_is_over_returns_its_best(name, monkeypatch):
    chain = robots.planar(1.0, 0.8, 0.5, limit=2.0)
    solver = make_solver(name, chain)
    solver.prepare()
    for kernel in solver.kernels():
        monkeypatch.setattr(kernel, '_call', kernel._run_plain)
        monkeypatch.setattr(kernel, 'is_plain', True)
    goal = Goal(position=[-0.2, 0.1, 0.0])
    goal = goal if name != 'analytic' else Goal(position=[9.0, 0.0, 0.0], orientation=np.eye(3))
    with _jit.time_limit(0.0):
        result = solver.solve(goal, [0.3, 0.4, 0.5])
    assert result.reason is StopReason.TIMEOUT
    assert result.q == pytest.approx([0.3, 0.4, 0.5])
    tip = chain.forward(result.q)[:3, 3]
    assert result.position_error == pytest.approx(np.linalg.norm(tip - goal.position), abs=1e-9)


@needs_numba
@pytest.mark.slow
def test_the_tests_of_kernels_pass_without_numba():
    run = subprocess.run(
        [sys.executable, '-m', 'pytest', 'test/test_spatial.py', 'test/kinematics',
         'test/solvers/jacobian/test_linear.py', 'test/solvers/test_textbook.py',
         'test/jit/test_plain.py'],
        cwd=ROOT, env={**os.environ, **NO_NUMBA}, capture_output=True, text=True, timeout=300,
        check=False)
    assert run.returncode == 0, run.stdout[-3000:] + run.stderr[-3000:]


def results():
    """Return joint values found by every iterative method, in a row."""
    chain = robots.planar(1.0, 0.8, 0.5, limit=2.0)
    goal = Goal(position=[0.9, 1.1, 0.0])
    solvers = [make_solver(name, chain, position_tolerance=1e-4, seed=1)
               for name in ('pseudoinverse', 'dls', 'transpose', 'ccd')]
    for solver in solvers:
        solver.prepare()
    return np.concatenate([solver.solve(goal).q for solver in solvers])


def test_the_results_are_the_same_with_and_without_numba():
    run = subprocess.run(
        [sys.executable, '-c', 'import no_numba, test_plain; print(test_plain.results().tolist())'],
        cwd=ROOT / 'test', capture_output=True, text=True, timeout=120, check=True,
        env={**os.environ, 'PYTHONPATH': f'{ROOT}:{ROOT / "test"}:{ROOT / "test/jit"}'})
    assert np.array(eval(run.stdout)) == pytest.approx(results(), abs=1e-9)
