import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import robots
from ik_node import Goal, IkError, InputError, make_body_solver, make_solver
from ik_node.solvers.goal import task_rows

R = Rotation.from_rotvec([0.3, -0.4, 1.2])
CHAIN = robots.chain('arm_7r')


def pose(position=(1, 2, 3), rotation=R):
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = rotation.as_matrix(), position
    return T


def test_a_quaternion_and_its_matrix_are_the_same_goal_whatever_its_length():
    matrix = Goal(orientation=R.as_matrix())
    for scale in (1.0, -2.5, 1e-3):
        quaternion = Goal(orientation=scale * R.as_quat())
        assert quaternion.orientation == pytest.approx(matrix.orientation, abs=1e-15)


def test_weights_of_a_part_that_is_left_out_are_zero():
    assert Goal(position=[1, 2, 3]).weights.tolist() == [1, 1, 1, 0, 0, 0]
    assert Goal(orientation=np.eye(3)).weights.tolist() == [0, 0, 0, 1, 1, 1]
    assert Goal([1, 2, 3], weights=[1, 0, 2, 1, 1, 1]).weights.tolist() == [1, 0, 2, 0, 0, 0]
    assert Goal.from_pose(pose()).weights.tolist() == [1] * 6


def test_a_pose_is_its_position_and_its_orientation():
    goal = Goal.from_pose(pose())
    assert goal.position.tolist() == [1, 2, 3]
    assert goal.orientation == pytest.approx(R.as_matrix())
    assert goal.pose == pytest.approx(Goal([1, 2, 3], R.as_quat()).pose, abs=1e-15)


@pytest.mark.parametrize('weights', [
    (1, 1, 1, 1, 1, 1), (1, 1, 1, 1, 1, 0), (1, 0, 2, 0, 3, 1), (1, 1, 1, 0, 0, 1)])
def test_the_jacobian_of_a_goal_is_the_derivative_of_its_error_at_constrained_axes(weights):
    rng, h = np.random.default_rng(1), 1e-6
    goal = Goal.from_pose(CHAIN.forward(robots.random_q(CHAIN, rng)), weights)
    q = robots.random_q(CHAIN, rng)
    e, J = task_rows(CHAIN, goal, q, 0.5)
    half = lambda q: 0.5 * np.sum(task_rows(CHAIN, goal, q, 0.5)[0] ** 2)  # noqa: E731
    gradient = [(half(q + step) - half(q - step)) / (2.0 * h) for step in h * np.eye(len(q))]
    assert -J.T @ e == pytest.approx(np.array(gradient), abs=1e-7)


def test_rounding_errors_of_a_matrix_are_taken_off():
    rounded = R.as_matrix().round(7)
    goal = Goal(orientation=rounded)
    assert goal.orientation @ goal.orientation.T == pytest.approx(np.eye(3), abs=1e-15)
    assert goal.orientation == pytest.approx(rounded, abs=1e-6)
    T = pose()
    T[:3, :3] = rounded
    assert Goal.from_pose(T).orientation == pytest.approx(goal.orientation, abs=1e-15)


def off(i, j, value):
    T = pose()
    T[i, j] = value
    return T


def test_a_printed_pose_is_projected_to_the_nearest_rotation():
    assert Goal.from_pose(pose(), project=True) == Goal.from_pose(pose())
    rng = np.random.default_rng(2)
    for R in Rotation.random(50, random_state=3).as_matrix():
        T = np.eye(4)
        T[:3, :3], T[:3, 3] = R, rng.uniform(-1.0, 1.0, 3)
        printed = T.round(3)
        with pytest.raises(IkError, match='no rotation'):
            Goal.from_pose(printed)
        goal = Goal.from_pose(printed, project=True)
        assert goal.position.tolist() == printed[:3, 3].tolist()
        # No rotation is nearer [Schönemann 1966]: RᵀM is symmetric.
        S = goal.orientation.T @ printed[:3, :3]
        assert S == pytest.approx(S.T, abs=1e-12)
        assert goal.orientation == pytest.approx(Rotation.from_matrix(printed[:3, :3]).as_matrix(),
                                                 abs=1e-9)
        assert goal.orientation == pytest.approx(R, abs=2e-3)
        weighted = Goal.from_pose(printed, [1, 1, 1, 0, 0, 1], project=True)
        assert weighted.orientation == pytest.approx(goal.orientation, abs=1e-12)


@pytest.mark.parametrize('R', [
    np.zeros((3, 3)), -np.eye(3), np.diag([1.0, 1.0, 0.0]), np.ones((3, 3))])
def test_what_has_no_nearest_rotation_is_not_projected(R):
    T = np.eye(4)
    T[:3, :3] = R
    with pytest.raises(InputError, match='a goal pose has no nearest rotation'):
        Goal.from_pose(T, project=True)


def test_projecting_is_a_yes_or_no():
    with pytest.raises(InputError, match='project must be True or False'):
        Goal.from_pose(pose(), project=1)


@pytest.mark.parametrize(('make', 'words'), [
    (lambda: Goal(), 'constrains no axis'),
    (lambda: Goal([1, 2, 3], weights=[0] * 6), 'constrains no axis'),
    (lambda: Goal([1, 2, 3], weights=[0, 0, 0, 1, 1, 1]), 'constrains no axis'),
    (lambda: Goal([1, 2]), r'a goal position must have the shape \(3,\), not \(2,\)'),
    (lambda: Goal([1, 2, np.nan]), 'a goal position must be finite numbers'),
    (lambda: Goal([1, 2, np.inf]), 'a goal position must be finite numbers'),
    (lambda: Goal('here'), 'a goal position must be numbers'),
    (lambda: Goal(orientation=[0, 0, 0, 0]), 'its length is 0'),
    (lambda: Goal(orientation=[0, 0, np.nan, 1]), 'a goal orientation must be finite'),
    (lambda: Goal(orientation=[0, 0, 1]), r'quaternion xyzw \(4,\), not of shape \(3,\)'),
    (lambda: Goal(orientation=np.eye(4)), r'not of shape \(4, 4\)'),
    (lambda: Goal(orientation=1.00001 * np.eye(3)), 'no rotation: R Rᵀ is 2.*e-05 off'),
    (lambda: Goal(orientation=np.diag([1, 1, -1])), 'no rotation: it mirrors'),
    (lambda: Goal(orientation=np.zeros((3, 3))), 'no rotation'),
    (lambda: Goal([1, 2, 3], weights=[1, 1, -1, 0, 0, 0]), 'weights must not be negative'),
    (lambda: Goal([1, 2, 3], weights=[1, 1, 1]), r'weights must have the shape \(6,\)'),
    (lambda: Goal([1, 2, 3], weights=[1, 1, np.nan, 0, 0, 0]), 'weights must be finite'),
    (lambda: Goal.from_pose(np.eye(3)), r'shape \(4, 4\), not \(3, 3\)'),
    (lambda: Goal.from_pose(off(3, 0, 0.1)), 'goal pose is no pose: its last row must be 0 0 0 1'),
    (lambda: Goal.from_pose(off(3, 3, 2.0)), 'goal pose is no pose: its last row must be 0 0 0 1'),
    (lambda: Goal.from_pose(off(0, 3, np.nan)), 'a goal pose must be finite'),
    (lambda: Goal.from_pose(off(0, 0, np.nan)), 'a goal pose must be finite'),
    (lambda: Goal.from_pose(off(0, 0, np.inf)), 'a goal pose must be finite'),
    (lambda: Goal.from_pose(off(0, 0, 0.5)), 'no rotation'),
    (lambda: Goal.from_pose(off(0, 0, np.nan), project=True), 'a goal pose must be finite'),
    (lambda: Goal.from_pose('pose'), 'a goal pose must be numbers')], ids=range(26))
def test_malformed_goals_are_refused_with_what_was_given_and_what_is_allowed(make, words):
    with pytest.raises(IkError, match=words):
        make()


@pytest.mark.parametrize('parts', [
    {'position': True, 'orientation': True}, {'position': True}, {'orientation': True},
    {'position': True, 'orientation': True, 'weights': [1, 1, 1, 1, 1, 0]},
    {'position': True, 'orientation': True, 'weights': [0, 1, 2, 0.5, 0, 0]}])
def test_what_meets_the_goal_meets_the_task_and_the_reverse(parts):
    rng = np.random.default_rng(3)
    body = CHAIN.tree.body()
    for _ in range(3):
        T = CHAIN.forward(robots.random_q(CHAIN, rng, inside=0.8))
        goal = Goal(T[:3, 3] if 'position' in parts else None,
                    T[:3, :3] if 'orientation' in parts else None, parts.get('weights'))
        q0 = robots.random_q(CHAIN, rng, inside=0.8)
        of_arm = make_solver('dls', CHAIN).solve(goal, q0)
        solver = make_body_solver('least_squares', body, [goal.as_task(CHAIN.tip_link)],
                                  position_tolerance=2e-6, orientation_tolerance=2e-6)
        assert of_arm.success
        assert solver.solve(of_arm.q).iterations == 0  # it is met there
        of_body = solver.solve(q0)
        assert of_body.success
        found = make_solver('dls', CHAIN, position_tolerance=3e-6,
                            orientation_tolerance=3e-6).solve(goal, of_body.q)
        assert (found.success, found.iterations) == (True, 0)


def test_weight_priority_and_name_are_those_of_the_task():
    task = Goal([0.1, 0.2, 0.3]).as_task('tool0', weight=2.0, priority=0, name='reach')
    assert (task.link, task.weight, task.priority, task.name) == ('tool0', 2.0, 0, 'reach')
    assert task.weights.tolist() == [1, 1, 1, 0, 0, 0]
