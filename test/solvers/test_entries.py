import math
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import robots
from ik_node import Goal, StopReason, make_solver
from ik_node.solvers.codes import CONVERGED, INVALID, TIMED_OUT
from ik_node.solvers.kernel.arm_kernel import verifier_of

ONES = np.ones(6)


def search_of(name='panda', **options):
    chain = robots.chain(name)
    return chain, make_solver('dls', chain, **options)._entry


def test_limits_hold_up_to_rounding_and_turns_are_whole():
    chain = robots.planar(1.0, 1.0, limit=4.0)
    verifier = verifier_of(chain)
    q = np.array([4.0 - 2.0 * math.pi + 1e-12, 5.0])
    verifier.into_limits(q)
    assert q == pytest.approx([4.0 - 2.0 * math.pi, 5.0 - 2.0 * math.pi])
    verifier.nearest_turn(np.array([4.0, 0.0]), q)
    assert q[0] == 4.0  # a turn brings it within rounding of the limit
    assert q[1] == pytest.approx(5.0 - 2.0 * math.pi)
    q = np.array([1e300, 0.0])
    verifier.into_limits(q)
    assert np.abs(q).max() <= 4.0


def test_arrays_of_other_shapes_raise():
    chain, search = search_of()
    goal, q = chain.forward(chain.neutral()), chain.neutral()
    for call in (lambda: search.solve(goal, ONES, np.zeros(6), math.inf),
                 lambda: search.solve(goal[:3], ONES, q, math.inf),
                 lambda: search.solve(goal, np.ones(5), q, math.inf),
                 lambda: search.step(goal, ONES, q, np.zeros(8)),
                 lambda: search.nearest_turn(np.zeros(6), q),
                 lambda: search.into_limits(np.zeros(6)),
                 lambda: search.solve_many(goal[None], ONES, np.zeros((2, 7)), 1.0,
                                           np.zeros((1, 5))),
                 lambda: search.solve_many(goal[None], ONES, q[None], 1.0,
                                           np.zeros((1, 4)))):
        with pytest.raises(ValueError, match='shape|must have|fit'):
            call()


def test_joint_values_that_are_not_finite_are_left_alone():
    chain, search = search_of()
    q = np.full(7, np.nan)
    end, *_ = search.solve(chain.forward(chain.neutral()), ONES, q, math.inf)
    assert end == INVALID
    assert np.isnan(q).all()


def test_a_deadline_that_is_over_ends_a_search_after_a_few_iterations():
    chain, search = search_of('ur5', max_restarts=10_000)
    rng = np.random.default_rng(71)
    ends, most = [], 0
    for _ in range(50):
        goal, q = chain.forward(robots.random_q(chain, rng)), robots.random_q(chain, rng)
        end, _, _, iterations, restarts = search.solve(goal, ONES, q, time.perf_counter() - 1.0)
        ends.append(end)
        most = max(most, iterations)
        assert restarts == 0
    assert set(ends) == {CONVERGED, TIMED_OUT}
    assert most <= 8


def test_a_batch_is_its_solves_also_with_a_timeout_and_soft_limits():
    chain = robots.chain('ur5')
    rng = np.random.default_rng(72)
    poses = np.array([chain.forward(robots.random_q(chain, rng)) for _ in range(30)])
    poses[::7, :3, 3] *= 4.0
    starts = np.array([robots.random_q(chain, rng) for _ in poses])
    for options in ({}, {'limit_margin': 0.5}, {'timeout': 100.0}, {'closest': True}):
        solver = make_solver('dls', chain, max_restarts=5, **options)
        batch = solver.solve_batch(poses, starts)
        for k, goal in enumerate(batch.goals):
            alone = solver.solve(goal, starts[k])
            assert [column[k] for column in batch[1:-1]] == list(alone[1:-1])
            assert (batch.q[k] == alone.q).all()
            assert (goal.pose == poses[k]).all()
            assert not goal.pose.flags.writeable
        assert {*batch.reason[::7]} == {StopReason.UNREACHABLE}


def test_threads_share_a_solver():
    chain = robots.chain('panda')
    rng = np.random.default_rng(73)
    poses = [chain.forward(robots.random_q(chain, rng)) for _ in range(60)]
    goals = [*poses, *(Goal(pose[:3, 3]) for pose in poses)]
    solver = make_solver('dls', chain)
    alone = [solver.solve(goal) for goal in goals]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(solver.solve, goals))
    for one, other in zip(alone, together):
        assert one[1:-1] == other[1:-1]
        assert (one.q == other.q).all()


def test_progress_of_a_batch_rises_to_its_end():
    chain, reported = robots.planar(1.0, 1.0), []
    pose = chain.forward([0.4, 0.9])
    make_solver('dls', chain).solve_batch(np.array([pose] * 300), progress=reported.append)
    assert reported == sorted(reported)
    assert reported[-1] == 1.0
    assert len(reported) > 1
