"""What tasks are given is checked and copied, and errors name task and input."""

import numpy as np
import pytest

import robots
from ik_node import IkError, ModelError, make_body_solver
from ik_node.support.exceptions import InputError
from ik_node.tasks import (
    AlignAxis,
    CenterOfMass,
    CustomTask,
    Distance,
    Force,
    HalfSpace,
    LookAt,
    Orientation,
    PointOnLine,
    PointOnPlane,
    Pose,
    Position,
    Posture,
    RelativePose,
    Spring,
)
from task_bodies import figure, hand, placed, two_arms

NAN = float('nan')
SQUARE = [[0, 0], [1, 0], [1, 1], [0, 1]]

MALFORMED = [
    (lambda: Pose('hand', np.eye(4)).residual('robot', [0.0]), "a body is needed, .* not 'robot'"),
    (lambda: CustomTask(len, len, 7), 'units of the task .* must be a list, not 7'),
    (lambda: CustomTask(len, len, 'm', 'both'), 'one_sided of the task .*list'),
    (lambda: CustomTask(len, len, 'm', [True, False]), 'one of them for each of 1 rows'),
    (lambda: Pose('hand', np.eye(3)), r'target of the task .pose_hand. .*\(4, 4\), not \(3, 3\)'),
    (lambda: Pose('hand', 2.0 * np.eye(4)), 'is no pose'),
    (lambda: Pose('hand', np.full((4, 4), NAN)), 'finite'),
    (lambda: Pose('hand', weights=(1, 1, 1)), r'shape \(6,\), not \(3,\)'),
    (lambda: Pose('hand', weights=(1, 1, 1, 1, 1, -1)), 'not negative'),
    (lambda: Pose('hand', weights=(0,) * 6), 'at least one entry above 0'),
    (lambda: Pose('hand', point=(0, 0)), 'point of the task'),
    (lambda: Pose('hand', weight=-1.0), 'weight of the task .*at least 0, not -1'),
    (lambda: Pose('hand', weight=NAN), 'finite'),
    (lambda: Pose('hand', priority=-1), 'priority of the task'),
    (lambda: Pose('hand', priority=1.5), 'priority of the task'),
    (lambda: Pose('hand', name=''), 'must be a name'),
    (lambda: Pose(7), 'a link of the task .pose. must be a name, not 7'),
    (lambda: Position('hand', (0, 0, NAN)), 'finite'),
    (lambda: Position('hand', (0, 0)), r'shape \(3,\)'),
    (lambda: Orientation('hand', (0, 0, 0, 0)), 'no direction'),
    (lambda: Orientation('hand', 2 * np.eye(3)), 'no rotation'),
    (lambda: Orientation('hand', (1, 2)), r'\(3, 3\) or a quaternion'),
    (lambda: PointOnLine('hand', (0, 0, 0), (0, 0, 0), (0, 0, 0)), 'direction of the task'),
    (lambda: PointOnPlane('hand', (0, 0, 0), (0, 0, 0), (0, 0, 0)), 'normal of the task'),
    (lambda: HalfSpace('hand', (0, 0, 0), (0, 0, NAN), (0, 0, 1)), 'origin of the task'),
    (lambda: AlignAxis('hand', (0, 0, 0), (0, 0, 1)), 'axis of the task'),
    (lambda: LookAt('hand', (0, 0, 1), 'there'), 'target of the task'),
    (lambda: CenterOfMass(polygon=[[0, 0], [1, 0]]), 'at least three corners'),
    (lambda: CenterOfMass(polygon=[[0, 0], [1, 0], [2, 0]]), 'enclose an area'),
    (lambda: CenterOfMass(polygon=[[0, 0], [1, 1], [1, 0], [0, 1]]), 'enclose an area|convex'),
    (lambda: CenterOfMass(polygon=[[0, 0], [2, 0], [0.2, 0.2], [0, 2]]), 'convex'),
    (lambda: CenterOfMass((NAN, NAN, NAN)), 'not for all three'),
    (lambda: CenterOfMass((1.0, float('inf'), 0.0)), 'finite numbers'),
    (lambda: Posture(gains=[-1.0, 1.0]), 'not negative'),
    (lambda: Posture(q=[[1.0]]), r'shape \(n,\)'),
    (lambda: RelativePose('hand', 'head', np.eye(3)), 'target of the task'),
    (lambda: Distance('hand', 'head', 2.0, 1.0), 'lower ≤ upper'),
    (lambda: Distance('hand', 'head', -1.0), 'at least 0'),
    (lambda: Distance('hand', 'head', NAN), 'at least 0'),
    (lambda: Spring('hand', 'head', -1.0), 'stiffness of the task'),
    (lambda: Force('hand', (1.0, NAN, 0.0)), 'force of the task'),
    (lambda: CustomTask(3, lambda q: q), 'must be a function of q'),
    (lambda: CustomTask(len, len, ('m', 'deg')), "'m', 'rad'"),
    (lambda: CustomTask(len, len, ('m', 'm'), [True]), 'one_sided')]


@pytest.mark.parametrize(('make', 'words'), MALFORMED)
def test_malformed_arguments_are_refused(make, words):
    with pytest.raises(InputError, match=words):
        make()


@pytest.mark.parametrize('task', [
    Pose('hnad'), Distance('hand', 'hnad'), RelativePose('hand', 'hnad'),
    Spring('hnad', None, 1.0)])
def test_an_unknown_link_is_named_with_the_nearest_and_the_list(task):
    with pytest.raises(ModelError, match=r"'hnad'; did you mean 'head'\?.*'trunk', .*'nose'"):
        make_body_solver('least_squares', figure(), [task])


@pytest.mark.parametrize('task', [
    Pose('hand', name='grasp'), Position('hand', name='grasp'), Orientation('hand', name='grasp'),
    LookAt('hand', (0, 0, 1), name='grasp'), CenterOfMass(name='grasp'),
    RelativePose('hand', 'head', name='grasp')])
def test_a_target_that_is_not_set_is_an_error_that_names_the_task(task):
    solver = make_body_solver('least_squares', figure(), [task])
    with pytest.raises(IkError, match="'grasp' has (no|neither a) target"):
        solver.solve()
    with pytest.raises(IkError, match="'grasp' has (no|neither a) target"):
        solver.velocity(np.zeros(solver.body.n_joints), 0.01)


def test_targets_are_copied_when_they_are_set_and_read_at_each_solve():
    body = two_arms()
    target = np.array([0.9, 0.5, 0.0])
    task = Position('left_hand', target)
    solver = make_body_solver('least_squares', body, [task])
    target[:] = 9.0
    first = solver.solve()
    assert first.success
    assert hand(body, first.q) == pytest.approx([0.9, 0.5, 0.0], abs=1e-6)
    task.target = [0.5, 0.9, 0.0]
    second = solver.solve()
    assert hand(body, second.q) == pytest.approx([0.5, 0.9, 0.0], abs=1e-6)
    with pytest.raises(ValueError, match='read-only'):
        task.target[0] = 2.0
    with pytest.raises(InputError, match='target of the task'):
        task.target = [1.0]
    assert task.target.tolist() == [0.5, 0.9, 0.0]


def test_names_are_made_of_type_and_links():
    assert Pose('hand').name == 'pose_hand'
    assert PointOnLine('hand', (0, 0, 0), (0, 0, 0), (0, 0, 1)).name == 'point_on_line_hand'
    assert RelativePose('hand', 'head').name == 'relative_pose_hand_head'
    assert CenterOfMass().name == 'center_of_mass'
    assert Pose('hand', name='grasp').name == 'grasp'


def test_a_posture_of_the_wrong_length_is_refused_with_the_right_one():
    with pytest.raises(InputError, match=r'shape \(6,\), not \(2,\)'):
        make_body_solver('least_squares', two_arms(), [Posture([0.0, 0.0])])


def test_the_middle_of_the_limits_leaves_unlimited_joints_free():
    body = figure('floating')
    task = Posture()
    asked = np.isfinite(body.lower) & np.isfinite(body.upper)
    assert len(task.residual(body, np.zeros(body.n_joints))) == asked.sum()


def test_a_half_space_holds_on_the_side_of_its_normal():
    body = two_arms()
    q = np.zeros(6)
    assert HalfSpace('left_hand', (0, 0, 0), (1.0, 0, 0), (1, 0, 0)).residual(body, q) > 0.0
    assert HalfSpace('left_hand', (0, 0, 0), (1.3, 0, 0), (2, 0, 0)).residual(
        body, q) == pytest.approx([-0.1])


@pytest.mark.parametrize('polygon', [SQUARE, SQUARE[::-1]])
def test_a_polygon_holds_inside_whatever_the_order_of_its_corners(polygon):
    body = two_arms()
    com = body.center_of_mass(np.zeros(6))[:2]
    inside = np.asarray(polygon) - 0.5 + com
    assert (CenterOfMass(polygon=inside).residual(body, np.zeros(6)) > 0.49).all()
    assert CenterOfMass(polygon=inside + [0.7, 0]).residual(
        body, np.zeros(6)).min() == pytest.approx(-0.2)


def test_a_function_of_the_wrong_shape_is_an_error_that_names_the_task():
    task = CustomTask(lambda q: [1.0, 2.0], lambda q: np.zeros((1, len(q))), name='mine')
    with pytest.raises(InputError, match=r"residual of the task 'mine' must have the shape \(1,\)"):
        make_body_solver('least_squares', two_arms(), [task]).solve()


def test_a_body_without_mass_has_no_center_of_mass_task():
    body = robots.planar(1.0, 1.0).tree.body()
    with pytest.raises(ModelError, match='no centre of mass'):
        make_body_solver('least_squares', body, [CenterOfMass((0, 0, 0))])


def test_poses_that_are_a_little_off_are_taken_as_the_nearest():
    T = placed(0.1, 0.2, 0.3, (0.4, 0.5, 0.6))
    off = T.copy()
    off[:3, :3] *= 1.0 + 1e-8
    assert Pose('hand', off).target == pytest.approx(T, abs=1e-12)
