import threading

import numpy as np
import pytest

import robots
from ik_node import StopReason, body_solver_names, make_body_solver, make_solver
from ik_node.plugins import Found, Solver, is_over
from ik_node.solvers.registry import body_solver_class, built_in_names, solver_class
from ik_node.support.clock import Cancellation
from ik_node.tasks import Position
from soak_timeouts import ENDLESS
from task_bodies import two_arms

SEARCHING = [name for name in built_in_names() if name != 'analytic']


def cancelled(search):
    """Run a search in a thread, cancel it, and return what it returns."""
    cancellation, running, found = Cancellation(), threading.Event(), []

    def run():
        with cancellation:
            running.set()
            found.append(search())
    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    running.wait()
    cancellation.cancel()
    thread.join(30.0)
    assert found, 'the search goes on'
    assert cancellation.has_ended_any()
    return found[0]


def endless(specs, **others):
    return {name: value for name, value in {**ENDLESS, **others}.items() if name in specs}


@pytest.mark.parametrize('closest', [False, True])
@pytest.mark.parametrize('name', SEARCHING)
def test_the_search_of_an_arm_ends(name, closest):
    chain = robots.chain('panda')
    solver = make_solver(name, chain, **endless(
        solver_class(name).Options.specs(), timeout=None, closest=closest),
        **robots.needed(name, chain))
    wanted = chain.forward(robots.random_q(chain, np.random.default_rng(5), inside=0.8))
    result = cancelled(lambda: solver.solve(wanted))
    assert result.reason is StopReason.TIMEOUT
    assert not result.success


@pytest.mark.parametrize('name', body_solver_names())
def test_the_search_of_a_body_ends(name):
    solver = make_body_solver(name, two_arms(), [
        Position('left_hand', (0.8, 0.4, 0.0)),  # one hand cannot be at both
        Position('left_hand', (0.3, 0.9, 0.0), name='other')],
        **endless(body_solver_class(name).Options.specs(), timeout=None))
    result = cancelled(lambda: solver.solve())
    assert result.reason is StopReason.TIMEOUT
    assert not result.success


def test_a_batch_ends():
    chain = robots.chain('panda')
    solver = make_solver('dls', chain, **endless(solver_class('dls').Options.specs(), timeout=None))
    wanted = chain.forward(robots.middle(chain))
    result = cancelled(lambda: solver.solve_batch(np.array([wanted] * 1000)))
    assert not result.success.any()


def test_a_whole_path_ends():
    chain, rng = robots.chain('panda'), np.random.default_rng(2)
    ends = [robots.random_q(chain, rng) for _ in range(2)]
    poses = np.array([chain.forward(ends[0] + s * (ends[1] - ends[0]))
                      for s in np.linspace(0.0, 1.0, 1000)])
    solver = make_solver('dls', chain)
    path = cancelled(lambda: solver.solve_path(poses, max_joint_step=1e-4))
    assert not path.success.all()


def test_a_plugin_that_asks_ends():
    class Endless(Solver):
        name = 'endless'

        def _solve(self, goal, q0):
            while not is_over():
                pass
            return Found(q0, False, StopReason.TIMEOUT, 1.0, 0.0, 0, 0)
    chain = robots.chain('panda')
    assert cancelled(lambda: Endless(chain).solve(np.eye(4))).reason is StopReason.TIMEOUT


def test_worker_of_other_threads_go_on():
    chain = robots.chain('panda')
    solver = make_solver('dls', chain)
    q = robots.middle(chain)
    Cancellation().cancel()
    assert solver.solve(chain.forward(q), q + 0.1).success
