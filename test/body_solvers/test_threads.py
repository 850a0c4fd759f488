"""Threads that use one body solver at the same time."""

import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from ik_node import body_solver_names, make_body_solver
from ik_node.tasks import Position, Posture
from task_bodies import bounds, two_arms


def solver_of(name):
    return make_body_solver(name, two_arms(), [
        Position('left_hand', (0.9, 0.5, 0.0), priority=0),
        Position('right_hand', (0.8, -0.5, 0.0)), Posture()], max_restarts=3)


def outcome(solver, q0):
    """Return what a solver makes of an initial guess (n,), without the time it took."""
    result = solver.solve(q0)
    return (result.q.tolist(), result.reason, result.errors, result.iterations, result.restarts,
            solver.velocity(q0, 0.01).tolist())


@pytest.fixture
def often_switching():
    """Let threads take turns after every few instructions."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures('often_switching')
@pytest.mark.parametrize('name', body_solver_names())
def test_two_threads_with_one_solver_get_the_results_of_one_thread(name):
    body, rng = two_arms(), np.random.default_rng(0)
    for q0 in [rng.uniform(*bounds(body)) for _ in range(12)]:
        solver, began = solver_of(name), threading.Barrier(2)

        def solved(_, solver=solver, began=began, q0=q0):
            began.wait()
            return outcome(solver, q0)
        with ThreadPoolExecutor(2) as pool:
            found = list(pool.map(solved, range(2)))
        assert found == [outcome(solver_of(name), q0)] * 2
