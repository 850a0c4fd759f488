import math

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import robots
from compiled import COMPILED
from ik_node import Goal, IkError, StopReason, make_solver, solver_names
from ik_node.plugins import Found, Solver
from ik_node.solvers.path.path_result import plan
from ik_node.solvers.path.planner import PathPlanner
from ik_node.solvers.path.problem import PathProblem, stacked
from ik_node.solvers.path.projection import Projection
from ik_node.solvers.path.smoothing import smoothed

ARMS = ('ur5', 'puma560', 'iiwa14', 'panda')


def joint_path(chain, rng, poses, step=0.3):
    """Return a smooth path (poses, n) inside the limits, without steps above `step`."""
    while True:
        knots = [robots.random_q(chain, rng) for _ in range(4)]
        q = CubicSpline(np.linspace(0.0, 1.0, 4), knots)(np.linspace(0.0, 1.0, poses))
        if ((q >= chain.lower).all() and (q <= chain.upper).all()
                and np.abs(np.diff(q, axis=0)).max() < step):
            return q


def poses_of(chain, q):
    return np.array([chain.forward(one) for one in q])


def test_guesses_for_paths_are_spread_over_a_turn_below_a_single_limit():
    chain = robots.planar(1.0, 0.8).with_limits([-np.inf, -np.inf], [-5.0, 2.0])
    goals = [Goal.from_pose(chain.forward([-6.0, 0.5]))]
    problem = PathProblem(
        chain, Projection(chain.record), *stacked(goals), np.array([1e-6, 1e-6]), np.ones(2), 0.0,
        None, False, 0.5, None, 0, math.inf, None, math.inf)
    guesses = PathPlanner(problem, lambda *_: None)._guesses
    assert np.ptp(guesses, axis=0) == pytest.approx([2.0 * np.pi] * 2, rel=0.2)
    assert (guesses <= [-5.0, 2.0]).all()


def largest(q):
    return np.abs(np.diff(q, axis=0)).max()


def check(result, chain, poses, most=0.5):
    """Check what every path promises."""
    assert result.q.shape == (len(poses), chain.n_joints)
    assert robots.inside(chain, result.q)
    before = np.concatenate([result.q[:1], result.q[:-1]])
    near = np.abs(result.q - before).max(axis=1) <= most + 1e-9
    off = np.abs(poses_of(chain, result.q) - poses).max(axis=(1, 2))
    met = np.array([reason is StopReason.CONVERGED for reason in result.reason])
    assert (result.success == (met & near)).all()
    assert (off[met] < 1e-3).all()


@pytest.mark.skipif(not COMPILED, reason='takes minutes as plain Python')
@pytest.mark.parametrize('arm', ARMS)
def test_paths_of_real_arms_are_whole_and_hardly_rougher_than_the_joints_had_it(arm):
    chain, rng = robots.chain(arm), np.random.default_rng(2)
    solver = make_solver('auto', chain)
    for _ in range(robots.samples(8)):
        q = joint_path(chain, rng, 100)
        result = solver.solve_path(poses_of(chain, q))
        check(result, chain, poses_of(chain, q))
        assert result.success.all()
        assert largest(result.q) <= 3.0 * largest(q)


@pytest.mark.parametrize('name', [name for name in solver_names() if name != 'example'])
def test_every_solver_has_it(name):
    chain = robots.planar(1.0, 0.8, limit=2.8)
    tolerance = 1e-4 if name in ('ccd', 'transpose') else 1e-6
    solver = make_solver(name, chain, position_tolerance=tolerance, orientation_tolerance=tolerance)
    q = np.linspace([0.2, 0.4], [1.4, 1.1], 12)
    result = solver.solve_path(poses_of(chain, q), q[0])
    check(result, chain, poses_of(chain, q))
    assert result.success.all()
    assert result.q == pytest.approx(q, abs=1e-2)


def test_a_plug_in_has_it_through_its_base_class():
    class Once(Solver):
        name = 'once'

        def _solve(self, goal, q0):
            return Found(np.array([0.2, 0.4]), True, StopReason.CONVERGED, 0.0, 0.0, 0, 0)

    chain = robots.planar(1.0, 0.8, limit=2.8)
    q = np.linspace([0.2, 0.4], [1.4, 1.1], 12)
    result = Once(chain).solve_path(poses_of(chain, q))
    assert result.success.all()  # tracked from the first pose
    assert result.q == pytest.approx(q, abs=1e-5)


@pytest.mark.parametrize('name', ['dls', 'auto'])
def test_the_branch_is_the_one_that_leads_to_the_end(name):
    # The elbow that is nearer to the first pose would leave its limit on the way.
    chain = robots.planar(1.0, 0.8, limit=1.6)
    q = np.linspace([-1.5, 1.5], [1.5, 0.9], 20)
    result = make_solver(name, chain).solve_path(poses_of(chain, q))
    assert result.success.all()
    assert result.q == pytest.approx(q, abs=1e-4)


@pytest.mark.parametrize('name', ['dls', 'auto'])
def test_the_others_are_solved_where_one_pose_cannot_be_met(name):
    chain = robots.planar(1.0, 0.8, limit=2.8)
    q = np.linspace([0.2, 0.4], [1.4, 1.1], 12)
    poses = poses_of(chain, q)
    poses[5, :2, 3] *= 10.0
    result = make_solver(name, chain).solve_path(poses)
    check(result, chain, poses)
    assert np.flatnonzero(~result.success).tolist() == [5]
    assert result.reason[5] is StopReason.UNREACHABLE
    assert result.position_error[5] > 1.0
    assert largest(result.q) <= 0.5


@pytest.mark.parametrize('name', ['dls', 'auto'])
def test_a_path_breaks_where_it_must_and_is_solved_again_from_there(name):
    chain = robots.planar(1.0, 0.8, limit=2.8)
    q = np.concatenate([np.linspace([0.2, 0.4], [0.5, 0.6], 5),
                        np.linspace([-1.0, 1.0], [-1.2, 1.4], 5)])
    poses = poses_of(chain, q)
    result = make_solver(name, chain).solve_path(poses)
    check(result, chain, poses)
    assert np.flatnonzero(~result.success).tolist() == [5]
    assert result.reason[5] is StopReason.CONVERGED  # met, but after a longer step
    assert result.position_error[5] < 1e-6


@pytest.mark.parametrize('name', ['dls', 'auto'])
def test_the_largest_step_is_that_of_the_caller(name):
    chain = robots.planar(1.0, 0.8, limit=2.8)
    q = np.linspace([0.2, 0.4], [1.4, 1.1], 4)
    solver = make_solver(name, chain)
    assert solver.solve_path(poses_of(chain, q), max_joint_step=0.41).success.all()
    assert solver.solve_path(poses_of(chain, q),
                             max_joint_step=0.39).success.tolist() == [True, False, False, False]


@pytest.mark.parametrize('name', ['dls', 'auto'])
def test_travel_from_q0_counts_but_may_be_of_any_size(name):
    chain = robots.planar(1.0, 0.8, limit=6.0)
    q = np.linspace([-1.0, 0.8], [-0.8, 1.0], 6)
    solver, poses = make_solver(name, chain), poses_of(chain, q)
    for start, turns in ((-1.2, 0), (-5.0, 0), (5.6, 1), (3.5, 1)):
        result = solver.solve_path(poses, [start, 0.8])
        assert result.success.all()
        assert result.q == pytest.approx(q + [2.0 * np.pi * turns, 0.0], abs=1e-5)
    assert solver.solve_path(poses).success.all()


@pytest.mark.parametrize('name', ['dls', 'auto'])
def test_the_step_from_q0_is_limited_where_the_arm_is_on_the_path_already(name):
    chain = robots.planar(1.0, 0.8, limit=6.0)
    q = np.linspace([-1.0, 0.8], [-0.8, 1.0], 6)
    solver, poses = make_solver(name, chain), poses_of(chain, q)
    for start, first in ((-1.1, True), (-1.4, False)):
        result = solver.solve_path(poses, [start, 0.8], 0.2, join_q0=True)
        assert result.success.tolist() == [first, *[True] * 5]
        assert result.reason[0] is StopReason.CONVERGED


def test_a_path_keeps_the_margin_where_another_turn_does():
    chain = robots.planar(1.0, 0.8, limit=6.0)
    q = np.linspace([-5.9, 0.8], [-5.8, 0.9], 6)
    near, kept = (make_solver('auto', chain, limit_margin=margin).solve_path(
        poses_of(chain, q), [-5.5, 0.8]).q for margin in (0.0, 0.3))
    assert near == pytest.approx(q, abs=1e-5)
    assert kept == pytest.approx(q + [2.0 * np.pi, 0.0], abs=1e-5)


def test_a_joint_of_large_weight_travels_less():
    chain = robots.chain('panda')
    q = np.linspace(robots.middle(chain), robots.middle(chain) + 0.4, 12)
    travel = []
    for k in (0, 2):
        weights = np.ones(7)
        weights[k] = 50.0
        result = make_solver('dls', chain, joint_weights=weights).solve_path(
            poses_of(chain, q), q[0])
        assert result.success.all()
        travel.append(np.abs(np.diff(result.q, axis=0)).sum(axis=0))
    assert travel[0][0] < 0.7 * travel[1][0]
    assert travel[1][2] < 0.7 * travel[0][2]


def test_a_path_is_not_followed_beyond_the_deadline():
    chain = robots.planar(1.0, 0.8)
    q = np.linspace([0.2, 0.4], [0.4, 0.6], 50)
    free, late = (path_problem(chain, q, deadline) for deadline in (math.inf, 0.0))
    assert len(free.track(-1, q[0], True)) == 50
    assert len(late.track(-1, q[0], True)) == 1
    guesses = q + 0.01
    assert free.near(guesses)[1].all()
    found, met = late.near(guesses)
    assert met.tolist() == [True] + 49 * [False]
    assert found[1:] == pytest.approx(guesses[1:], abs=0)


def test_after_the_deadline_a_local_solution_takes_a_few_steps_only():
    chain = robots.chain('panda')
    poses, weights = stacked([Goal.from_pose(chain.forward(robots.middle(chain)))])
    poses[0, :3, 3] += [2.0, 1.0, 0.0]  # hundreds of steps
    errors, projection = np.empty((2, 2)), Projection(chain.record)
    for k, deadline in enumerate((math.inf, 0.0)):
        q = np.array([0.9 * chain.lower])
        projection.near(poses, weights, q, errors[k:k + 1], deadline)
    assert errors[1, 0] > errors[0, 0] + 1e-3


def path_problem(chain, q, deadline, q0=None, kind=PathProblem):
    poses, weights = stacked([Goal.from_pose(T) for T in poses_of(chain, q)])
    return kind(chain, Projection(chain.record), poses, weights, np.full(2, 1e-6),
                np.ones(chain.n_joints), 0.0, q0, False, 0.5, None, 0, deadline)


@pytest.mark.parametrize('length', [0.2, 2.0])
def test_after_the_deadline_poses_without_candidates_are_on_lines_between_the_others(length):
    chain = robots.planar(1.0, 0.8)
    q = np.linspace([0.2, 0.4], [0.2 + length, 0.4], 9)
    candidates = [q[i:i + 1] if i in (2, 5) else q[:0] for i in range(9)]
    found = plan(path_problem(chain, q, 0.0), lambda part, density: candidates).q
    assert found[:2] == pytest.approx(q[[2, 2]])
    assert found[2:6] == pytest.approx(q[2:6])  # no step is longer than 0.5
    assert found[6:] == pytest.approx(q[[5, 5, 5]])
    far = [candidates[i] + (2.0 if i == 5 else 0.0) for i in range(9)]
    found = plan(path_problem(chain, q, 0.0), lambda part, density: far).q
    assert np.abs(np.diff(found[3:6], axis=0)).max() <= 0.5 + 1e-12
    assert found[5] == pytest.approx(q[5] + 2.0)
    found = plan(path_problem(chain, q, 0.0, q[0]), lambda part, density: candidates).q
    assert found[:2] == pytest.approx(q[0] + np.array([[1 / 3], [2 / 3]]) * (q[2] - q[0]))


def test_after_the_deadline_a_path_is_chosen_from_some_of_many_candidates():
    chain = robots.planar(1.0, 0.8)
    q = np.linspace([0.2, 0.4], [0.4, 0.6], 20)
    rungs = [np.tile(one, (2000, 1)) for one in q]
    found = plan(path_problem(chain, q, 0.0), lambda part, density: rungs)
    assert found.success.all()
    assert found.q == pytest.approx(q)


def test_smoothing_looks_at_the_clock_between_null_spaces():
    class Late(PathProblem):
        looks = 0

        @property
        def is_late(self):
            Late.looks += 1
            return Late.looks > 4

    chain, rng = robots.chain('panda'), np.random.default_rng(0)
    q = robots.middle(chain) + 0.01 * rng.normal(size=(100, 7))
    problem = path_problem(chain, q, math.inf, kind=Late)
    assert smoothed(problem, q, np.ones(100, dtype=bool)) is q
    assert Late.looks == 5


def test_without_a_pose_that_can_be_met_every_pose_is_reported():
    chain = robots.planar(1.0, 0.8, limit=2.0 * np.pi)  # a whole turn, and one more
    for name in ('dls', 'analytic'):
        result = make_solver(name, chain).solve_path([Goal([5.0, 0.0, 0.0])] * 2)
        assert list(result.reason) == [StopReason.UNREACHABLE] * 2


def test_after_the_timeout_no_more_candidates_are_looked_for():
    chain = robots.planar(1.0, 0.8, limit=2.8)
    poses = poses_of(chain, np.linspace([0.2, 0.4], [0.4, 0.6], 6))
    late = make_solver('dls', chain).solve_path(poses, timeout=0.0)
    assert StopReason.TIMEOUT in late.reason
    assert not late.success.all()
    assert (np.abs(late.q) <= 2.8).all()
    assert make_solver('dls', chain).solve_path(poses, timeout=60.0).success.all()
    arm = robots.chain('ur5')  # the branches of a closed form are candidates from the beginning
    q = np.linspace(robots.middle(arm) + 0.3, robots.middle(arm) + 0.5, 6)
    assert make_solver('analytic', arm).solve_path(poses_of(arm, q), timeout=0.0).success.all()
    many = poses_of(arm, np.linspace(q[0], q[-1], 300))  # those of the first ones
    late = make_solver('analytic', arm).solve_path(many, timeout=0.0)
    assert late.success[:6].all()
    assert not late.success[-1]
    assert late.reason[-1] is StopReason.TIMEOUT
    with pytest.raises(IkError, match='timeout must be at least 0, or None, not -1'):
        make_solver('dls', chain).solve_path(poses, timeout=-1.0)
    with pytest.raises(IkError, match='timeout'):
        make_solver('dls', chain).solve_path(poses, timeout=float('nan'))
    with pytest.raises(IkError, match='join_q0 must be True or False'):
        make_solver('dls', chain).solve_path(poses, join_q0=np.ones(2))


def test_a_continuous_joint_goes_on_through_whole_turns():
    chain = robots.planar(1.0, 0.8)
    q = np.column_stack([np.linspace(0.0, 15.0, 60), np.full(60, 1.0)])
    result = make_solver('auto', chain).solve_path(poses_of(chain, q), q[0])
    assert result.success.all()
    assert result.q == pytest.approx(q, abs=1e-6)


@pytest.mark.parametrize('name', ['dls', 'auto'])
def test_a_joint_begins_at_the_turn_from_which_it_reaches_the_end(name):
    chain = robots.planar(1.0, 0.8, limit=6.0)
    q = np.column_stack([np.linspace(3.0, -5.5, 40), np.full(40, 1.0)])
    result = make_solver(name, chain).solve_path(poses_of(chain, q))
    assert result.success.all()
    assert (np.abs(result.q) <= 6.0).all()


def test_a_closed_path_of_a_real_arm_is_whole():
    chain = robots.chain('ur5')
    angles = np.linspace(0.0, 2.0 * np.pi, robots.samples(200) + 1)
    poses = np.tile(chain.forward([0.3, -1.2, 1.5, -0.4, 1.0, 0.2]), (len(angles), 1, 1))
    poses[:, 1, 3] += 0.05 * np.sin(angles)
    poses[:, 2, 3] += 0.05 * (1.0 - np.cos(angles))
    result = make_solver('auto', chain).solve_path(poses, max_joint_step=3.0)
    assert result.success.all()
    assert result.q[-1] == pytest.approx(result.q[0], abs=1e-6)


@pytest.mark.parametrize('arm', ['ur5', 'puma560', 'irb140'])
def test_a_path_through_a_wrist_singularity_is_whole(arm):
    # At q5 = 0, in the middle, joints 4 and 6 turn about the same axis.
    chain, at = robots.chain(arm), 4
    middle = robots.middle(chain) + [0.3, -0.4, 0.5, 0.2, 0.0, 0.3]
    q = np.tile(middle, (11, 1))
    q[:, at] = np.linspace(-0.3, 0.3, 11)
    result = make_solver('auto', chain).solve_path(poses_of(chain, q))
    check(result, chain, poses_of(chain, q))
    assert result.success.all()
    assert largest(result.q) <= 3.0 * largest(q)


def test_the_same_path_is_the_same_result():
    chain = robots.planar(1.0, 0.8, 0.6, limit=2.0)
    poses = poses_of(chain, np.linspace([0.2, 0.4, 0.3], [1.0, 0.9, -0.5], 10))
    for name in ('dls', 'auto'):
        solver = make_solver(name, chain)
        first, second = (one.solve_path(poses) for one in (solver, make_solver(name, chain)))
        assert (first.q == second.q).all()
        for count in (0, 1):  # of poses
            assert solver.solve_path(poses[:count]).success.tolist() == [True] * count


def test_invalid_input_is_refused_with_what_is_allowed():
    solver = make_solver('dls', robots.planar(1.0, 0.8))
    poses = np.tile(np.eye(4), (3, 1, 1))
    for most in (0.0, -1.0, float('nan')):
        with pytest.raises(IkError, match='max_joint_step must be'):
            solver.solve_path(poses, max_joint_step=most)
    with pytest.raises(IkError, match='max_joint_step'):
        solver.solve_path(poses, max_joint_step='wide')
    with pytest.raises(IkError, match=r'\(m, 4, 4\)'):
        solver.solve_path(np.eye(4))
    with pytest.raises(IkError, match='q0'):
        solver.solve_path(poses, [0.0])
    with pytest.raises(IkError, match='q0'):
        solver.solve_path(poses, [0.0, np.nan])
    poses[1, 0, 0] = 2.0
    with pytest.raises(IkError, match=r'goals\[1\]'):
        solver.solve_path(poses)
