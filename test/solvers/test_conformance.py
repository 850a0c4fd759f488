"""What holds for every solver there is, whatever its method, of arms and of bodies."""

import copy
import pickle

import numpy as np
import pytest

import robots
from ik_node import (
    Goal,
    IkError,
    KinematicTree,
    StopReason,
    body_solver_names,
    make_body_solver,
    make_solver,
    solver_names,
)
from ik_node.spatial import rotation_log
from ik_node.support.exceptions import InputError, UnsupportedError

EVERY = solver_names()
ITERATIVE = [name for name in EVERY if name != 'analytic']  # those that take every arm and goal
# Those whose result is near q0: `example` puts the examples in its place.
NEAR_Q0 = [name for name in EVERY if name != 'example']
BODIES = [f'body {name}' for name in body_solver_names()]
# Slow to converge by their nature: the last digits would take them thousands of iterations.
LOOSE = {'position_tolerance': 1e-4, 'orientation_tolerance': 1e-4}


def solver_for(name, chain, **options):
    """Return a solver, its tolerance such that it can be asked of the method."""
    loose = LOOSE if name in ('transpose', 'ccd') else {}
    return make_solver(name, chain, **{**loose, **robots.needed(name, chain), **options})


def solve(name, chain, goal, q0=None, **options):
    """Return the result of a solver of the arm, or of its body with the goal as a task."""
    if name in BODIES:
        tasks = [goal.as_task(chain.tip_link, name='goal')]
        return make_body_solver(name[5:], chain.tree.body(), tasks, **options).solve(q0)
    return solver_for(name, chain, **options).solve(goal, q0)


def missed(result):
    """Return the position error of a result, m."""
    return result.errors['goal'][0] if hasattr(result, 'errors') else result.position_error


def enough(name, met, count):
    """Tell whether a solver met enough of the goals: the slow ones are allowed a tail."""
    return met == count if name not in ('transpose', 'ccd') else met >= 0.8 * count


def errors(goal, chain, q):
    """Return the position and orientation error at q by their definition, axes asked for only."""
    T, G = chain.forward(q), goal.pose
    e = np.concatenate([G[:3, 3] - T[:3, 3],
                        rotation_log(np.ascontiguousarray(G[:3, :3] @ T[:3, :3].T))])
    e = np.kron(np.eye(2), G[:3, :3].T) @ e
    requested = goal.weights > 0.0
    if requested[3:].sum() == 1:  # a heading
        i = int(np.flatnonzero(requested[3:])[0])
        _, b, c = G[:3, [i, (i + 1) % 3, (i + 2) % 3]].T @ T[:3, (i + 1) % 3]
        e[3 + i] = np.arctan2(c, b)
    return np.linalg.norm(e[:3][requested[:3]]), np.linalg.norm(e[3:][requested[3:]])


def check(result, goal, chain, solver):
    assert result.q.shape == (chain.n_joints,)
    assert np.isfinite(result.q).all()
    assert robots.inside(chain, result.q)
    position, orientation = errors(goal, chain, result.q)
    assert result.position_error == pytest.approx(position, abs=1e-9)
    assert result.orientation_error == pytest.approx(orientation, abs=1e-9)
    assert result.success == (position <= solver.options.position_tolerance
                              and orientation <= solver.options.orientation_tolerance)
    assert result.success == (result.reason is StopReason.CONVERGED)
    assert result.solve_time > 0.0


ARMS = {
    'planar 2R': lambda: robots.planar(1.0, 0.8),
    'planar 2R with limits': lambda: robots.planar(1.0, 0.8, limit=2.8),
    'planar 3R': lambda: robots.planar(15.0, 10.0, 5.0),
    'planar 5R, redundant': lambda: robots.planar(1.0, 0.8, 0.6, 0.4, 0.2, limit=2.0),
    'scara': robots.scara,
    'panda': lambda: robots.chain('panda'),
    'ur5': lambda: robots.chain('ur5'),
    'so101': lambda: robots.chain('so101'),
    'pr2': lambda: robots.chain('pr2'),
}


# Of all pairs, so many without slow tests that each method has three kinds of arms, and each arm
# three methods or more.
CASES = robots.rest_slow(
    [(name, arm) for name in EVERY for arm in ARMS],
    *((name, arm) for i, name in enumerate(EVERY) for k, arm in enumerate(ARMS) if i % 3 == k % 3))


def most_met(name, chain, seed, count, goal_of):
    """Return the results, each checked, for goals made of the poses of random postures."""
    solver, rng, results = solver_for(name, chain), np.random.default_rng(seed), []
    for _ in range(robots.samples(count)):
        goal = goal_of(chain.forward(robots.random_q(chain, rng, inside=0.8)))
        results.append(solver.solve(goal))
        check(results[-1], goal, chain, solver)
    missed = [(k, result) for k, result in enumerate(results) if not result.success]
    assert enough(name, len(results) - len(missed), len(results)), f'seed {seed}: {missed}'
    return results


@pytest.mark.parametrize(('name', 'arm'), CASES)
def test_reachable_poses_are_reached(name, arm):
    most_met(name, ARMS[arm](), 10, 20, Goal.from_pose)


@pytest.mark.parametrize(('name', 'arm'), CASES)
def test_positions_alone_are_reached(name, arm):
    results = most_met(name, ARMS[arm](), 11, 10, lambda T: Goal(position=T[:3, 3]))
    assert {result.orientation_error for result in results} == {0.0}


@pytest.mark.parametrize('arm', ['planar 2R', 'planar 3R', 'scara'])
def test_orientations_alone_for_which_an_arm_has_no_closed_form_are_refused(arm):
    chain = ARMS[arm]()
    with pytest.raises(UnsupportedError, match='leaves it free|no closed form'):
        make_solver('analytic', chain).solve(Goal(orientation=np.eye(3)))


@pytest.mark.parametrize(('name', 'arm'), robots.rest_slow(
    [(name, arm) for name in EVERY for arm in ('panda', 'ur5', 'pr2')],
    ('analytic', 'panda'), ('analytic', 'ur5'), *((name, 'ur5') for name in ITERATIVE)))
def test_orientations_alone_are_reached(name, arm):
    results = most_met(name, ARMS[arm](), 12, 10, lambda T: Goal(orientation=T[:3, :3]))
    assert {result.position_error for result in results} == {0.0}


WEIGHTS = [(1, 1, 1, 1, 1, 0), (1, 1, 1, 0, 0, 1), (1, 1, 0, 1, 1, 1), (0, 0, 1, 0, 1, 1),
           (1, 1, 1, 0, 2, 0), (3, 1, 0.5, 1, 0.5, 0.2)]


@pytest.mark.parametrize(('name', 'weights'), robots.rest_slow(
    [(name, weights) for name in ITERATIVE for weights in WEIGHTS],
    *((name, weights) for i, name in enumerate(ITERATIVE)
      for k, weights in enumerate(WEIGHTS) if i % 3 == k % 3)))
def test_axes_with_weight_zero_are_left_free_and_the_others_met(name, weights):
    most_met(name, robots.chain('panda'), 13, 10, lambda T: Goal.from_pose(T, weights))


@pytest.mark.parametrize('name', EVERY)
def test_the_freedom_of_an_axis_is_used(name):
    # 2R: the pose asked for has an angle and a height that the arm cannot serve.
    chain = robots.planar(1.0, 0.8)
    pose = chain.forward([0.4, 0.9])
    pose[2, 3] = 0.5
    pose[:3, :3] = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]]) @ pose[:3, :3]
    everything = Goal.from_pose(pose)
    served = Goal.from_pose(pose, (1, 1, 0, 0, 0, 0))
    solver = solver_for(name, chain)
    assert solver.solve(served).success
    assert not solver.solve(everything).success


@pytest.mark.parametrize('name', [*EVERY, *BODIES])
def test_beyond_reach_is_unreachable_and_the_best_found_is_returned(name):
    chain, goal = robots.planar(1.0, 0.8), Goal(position=[1.5, 2.0, 0.0])  # 2.5 m away
    result = solve(name, chain, goal, [0.3, 0.4])
    assert not result.success
    assert result.reason is StopReason.UNREACHABLE
    if name not in BODIES:
        check(result, goal, chain, solver_for(name, chain))
    if name != 'pseudoinverse':  # which swings about there
        assert missed(result) == pytest.approx(0.7, abs=0.05)


@pytest.mark.parametrize('name', EVERY)
def test_within_the_hole_of_the_ring_is_unreachable_too(name):
    chain = robots.planar(1.0, 0.5)
    result = solver_for(name, chain).solve(Goal(position=[0.2, 0.1, 0.0]))
    assert result.reason is StopReason.UNREACHABLE


@pytest.mark.parametrize('name', EVERY)
def test_that_only_the_limits_forbid_a_goal_is_said_where_a_closed_form_proves_it(name):
    chain = robots.planar(1.0, 0.8, limit=0.5)
    goal = Goal(position=[-1.0, 0.6, 0.0])
    result = solver_for(name, chain).solve(goal)
    assert not result.success
    if name in ('analytic', 'auto'):
        assert result.reason is StopReason.LIMITS
    else:
        assert result.reason in (StopReason.SINGULAR, StopReason.STALLED, StopReason.ITERATIONS)
    assert (abs(result.q) <= 0.5).all()


@pytest.mark.parametrize('name', [*EVERY, *BODIES])
@pytest.mark.parametrize('side', [-1.0, 1.0])
def test_goals_at_the_limits_are_met_inside_them(name, side):
    chain, q = robots.planar(1.0, 0.8, limit=1.2), side * np.array([1.2, 1.2])
    result = solve(name, chain, Goal(position=chain.forward(q)[:3, 3]), 0.3 * q)
    assert result.success
    assert robots.inside(chain, result.q)
    assert result.q == pytest.approx(q, abs=1e-2)


@pytest.mark.parametrize('name', [*NEAR_Q0, *BODIES])
def test_a_start_that_meets_the_goal_is_returned_as_it_is(name):
    chain, q = robots.planar(1.0, 0.8), np.array([0.4, -0.9])
    result = solve(name, chain, Goal(position=chain.forward(q)[:3, 3]), q)
    assert result.success
    assert result.q == pytest.approx(q, abs=1e-9)
    assert (result.iterations, result.restarts) == (0, 0)


@pytest.mark.parametrize('name', EVERY)
def test_an_outstretched_arm_leaves_its_singular_start(name):
    chain = robots.planar(1.0, 0.8)
    goal = Goal(position=[1.2, 0.0, 0.0])  # straight inwards: no joint moves the tip that way
    result = solver_for(name, chain).solve(goal, [0.0, 0.0])
    assert result.success
    everywhere = robots.chain('iiwa14')  # straight up at zero
    pose = everywhere.forward([0.2, 0.7, -0.3, -1.0, 0.4, 0.8, 0.1])
    if name != 'analytic':
        assert solver_for(name, everywhere).solve(pose, np.zeros(7)).success


@pytest.mark.parametrize('name', [name for name in ITERATIVE
                                  if name not in ('auto', 'example', 'genetic')])
def test_without_restarts_a_singular_start_is_named_as_the_reason(name):
    chain = robots.planar(1.0, 0.8)
    result = solver_for(name, chain, max_restarts=0).solve(
        Goal(position=[1.2, 0.0, 0.0]), [0.0, 0.0])
    assert result.reason is StopReason.SINGULAR


@pytest.mark.parametrize('name', NEAR_Q0)
def test_the_nearest_turn_is_taken_inside_the_limits(name):
    chain = robots.planar(1.0, 0.8)
    goal = Goal(position=chain.forward([0.4, 0.9])[:3, 3])
    far = np.array([0.5 + 4 * np.pi, 0.8 - 2 * np.pi])
    result = solver_for(name, chain).solve(goal, far)
    assert result.q == pytest.approx([0.4 + 4 * np.pi, 0.9 - 2 * np.pi], abs=1e-3)
    limited = robots.planar(1.0, 0.8, limit=4.0)
    result = solver_for(name, limited).solve(goal, [-3.9, 0.8])
    assert (abs(result.q) <= 4.0).all()


@pytest.mark.parametrize('name', ITERATIVE)
def test_prismatic_joints_are_never_turned(name):
    chain = robots.scara()
    goal = Goal.from_pose(chain.forward([0.3, 0.5, 0.12, -0.4]))
    result = solver_for(name, chain).solve(goal)
    assert result.success
    assert result.q[2] == pytest.approx(0.12, abs=1e-3)


@pytest.mark.parametrize('name', [*EVERY, *BODIES])
def test_the_same_seed_gives_the_same_solution(name):
    chain, goal = robots.planar(1.0, 0.8, limit=2.0), Goal(position=[-0.3, 1.1, 0.0])
    one, other = (solve(name, chain, goal, [1.9, -1.9], seed=3) for _ in range(2))
    assert (one.q == other.q).all()
    assert one.restarts == other.restarts


@pytest.mark.parametrize('name', [*EVERY, *BODIES])
def test_the_start_may_be_left_out_or_outside_the_limits(name):
    chain, goal = robots.planar(1.0, 0.8, limit=2.0), Goal(position=[0.9, 0.9, 0.0])
    for start in (None, [9.0, -9.0]):
        result = solve(name, chain, goal, start)
        assert result.success
        assert robots.inside(chain, result.q)


@pytest.mark.parametrize('name', [*EVERY, *BODIES])
def test_tolerances_are_kept_where_they_are_loose_or_tight(name):
    chain, goal = robots.planar(1.0, 0.8, limit=2.0), Goal(position=[0.9, 0.9, 0.0])
    for tolerance in (1e-2, 1e-4 if name in ('transpose', 'ccd') else 1e-10):
        result = solve(name, chain, goal, [0.1, 0.2], position_tolerance=tolerance)
        assert result.success
        assert missed(result) <= tolerance


@pytest.mark.parametrize('name', [*ITERATIVE, *BODIES])
def test_a_timeout_of_zero_ends_a_search_that_has_not_met_its_goal(name):
    chain = robots.planar(1.0, 0.8, limit=0.5)
    result = solve(name, chain, Goal(position=[-1.0, 0.6, 0.0]), timeout=0.0, max_restarts=10**6)
    assert not result.success
    assert result.reason in (StopReason.TIMEOUT, StopReason.LIMITS)
    assert result.restarts < 10**6


@pytest.mark.parametrize('name', EVERY)
def test_a_batch_is_solved_like_one_goal_after_the_other(name):
    chain = robots.planar(1.0, 0.8)
    rng = np.random.default_rng(14)
    poses = np.array([chain.forward(robots.random_q(chain, rng)) for _ in range(5)])
    poses[3, 0, 3] = 9.0
    solver = solver_for(name, chain)
    batch = solver.solve_batch(poses, [0.1, 0.2])
    assert batch.q.shape == (5, 2)
    assert batch.success.tolist() == [True, True, True, False, True]
    assert batch.reason[3] is StopReason.UNREACHABLE
    for i, pose in enumerate(poses):
        one = solver.solve(pose, [0.1, 0.2])
        assert batch.q[i] == pytest.approx(one.q, abs=0)
        assert batch.iterations[i] == one.iterations
    assert batch.position_error.shape == batch.restarts.shape == batch.solve_time.shape == (5,)
    each = solver.solve_batch(poses, np.tile([0.1, 0.2], (5, 1)))
    assert (each.q == batch.q).all()
    none = solver.solve_batch(np.empty((0, 4, 4)))
    assert (none.q.shape, none.q.dtype) == ((0, 2), batch.q.dtype)
    assert none.position_error.dtype == batch.position_error.dtype


# The base class checks them, for every method alike.
ONE_FOR_ALL = robots.rest_slow(EVERY, 'dls')


@pytest.mark.parametrize('name', ONE_FOR_ALL)
@pytest.mark.parametrize(('goals', 'words'), [
    (np.eye(4), r'goals must have the shape \(m, 4, 4\), not \(4, 4\)'),
    (np.zeros((2, 4, 3)), 'shape'), ([[1, 2], [3]], 'goals must be'), ('goals', 'must be numbers'),
    ([np.eye(4), np.full((4, 4), np.nan)], r'goals\[1\]: '),
    ([np.eye(4), 2.0 * np.eye(4)], r'goals\[1\]: ')])
def test_malformed_batches_are_refused(name, goals, words):
    with pytest.raises(IkError, match=words):
        solver_for(name, robots.planar(1.0, 0.8)).solve_batch(goals)


@pytest.mark.parametrize('name', ONE_FOR_ALL)
@pytest.mark.parametrize('q0', [[0.0], [0.0, np.nan], 'ab', np.zeros((2, 2, 2))])
def test_malformed_starts_are_refused(name, q0):
    solver = solver_for(name, robots.planar(1.0, 0.8))
    with pytest.raises(IkError, match='q0'):
        solver.solve(np.eye(4), q0)
    with pytest.raises(IkError, match='q0'):
        solver.solve_batch(np.array([np.eye(4)]), q0)


@pytest.mark.parametrize('name', ITERATIVE)
def test_joints_without_room_stay_where_they_are(name):
    locked = 'lower="0.3" upper="0.3" effort="1" velocity="1"'
    chain = KinematicTree.from_urdf(robots.robot(
        robots.joint('a', 'continuous', 'base', 'la'),
        robots.joint('b', 'revolute', 'la', 'lb', xyz='1 0 0', limit=locked),
        robots.joint('c', 'continuous', 'lb', 'lc', xyz='1 0 0'),
        robots.joint('t', 'fixed', 'lc', 'tip', xyz='1 0 0'))).chain()
    goal = Goal(position=chain.forward([0.5, 0.3, -0.8])[:3, 3])
    result = solver_for(name, chain).solve(goal)
    assert result.success
    assert result.q[1] == 0.3


@pytest.mark.parametrize('name', ITERATIVE)
def test_joints_with_mimics_are_solved_for(name):
    chain = robots.mimicking()
    solver = solver_for(name, chain)
    goal = Goal(position=chain.forward([0.5, 0.9])[:3, 3])
    result = solver.solve(goal)
    check(result, goal, chain, solver)
    assert result.success


@pytest.mark.parametrize('name', [*EVERY, *BODIES])
def test_copies_have_the_options_and_the_solutions(name):
    chain, goal = robots.planar(1.0, 0.8, limit=2.0), Goal(position=[0.9, 0.9, 0.0])
    options = {'max_restarts': 3, 'position_tolerance': 1e-4}
    solver, given = (make_body_solver(name[5:], chain.tree.body(), [goal.as_task('tip')],
                                      **options), ()) if name in BODIES else (
        solver_for(name, chain, **options), (goal,))
    for again in (pickle.loads(pickle.dumps(solver)), copy.deepcopy(solver)):
        assert repr(again.options) == repr(solver.options)
        assert again.solve(*given).q.tolist() == solver.solve(*given).q.tolist()


@pytest.mark.parametrize('name', ['auto', 'dls'])
def test_an_initial_guess_may_be_a_view_and_closest_must_be_a_boolean(name):
    chain = robots.chain('ur5')
    solver, q = make_solver(name, chain), np.array([0.3, -1.0, 1.2, -0.8, 0.9, 0.2])
    view = np.repeat(q, 2)[::2]
    assert solver.solve(chain.forward(q + 0.1), view).q.tolist() == solver.solve(
        chain.forward(q + 0.1), q).q.tolist()
    with pytest.raises(InputError, match='closest must be True or False'):
        solver.solve(chain.forward(q), q, closest=np.zeros(2))
