import copy
import pickle

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from ik_node.model.body import BodyFrames
from ik_node.support.exceptions import IkError
from ik_node.tasks import (
    AlignAxis,
    CenterOfMass,
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
from task_bodies import ROOTS, figure, placed

POINT = np.array([0.1, -0.2, 0.3])


def at(T, point=POINT):
    return T[:3, :3] @ point + T[:3, 3]


def pose_rows(T, target):
    return np.r_[target[:3, :3].T @ (T[:3, 3] - target[:3, 3]),
                 Rotation.from_matrix(target[:3, :3].T @ T[:3, :3]).as_rotvec()]


@pytest.fixture(params=ROOTS)
def place(request):
    """Return a body, joint values and the frames there."""
    body = figure(request.param)
    q = np.random.default_rng(4).uniform(-0.8, 0.8, body.n_joints)
    return body, q, body.forward(q)


def test_poses_are_along_the_axes_of_their_targets(place):
    body, q, F = place
    target = placed(0.3, 0.4, 0.5, (0.4, -0.3, 1.1))
    T = F['hand'].copy()
    T[:3, 3] = at(T)
    rows = pose_rows(T, target)
    assert Pose('hand', target, point=POINT).residual(body, q) == pytest.approx(rows)
    axes = Rotation.from_rotvec([0.3, 1.0, -2.0])
    T_axes = np.block([[T[:3, :3] @ axes.as_matrix(), T[:3, 3:]], [T[3:]]])
    assert Pose('hand', target, point=POINT, axes=axes.as_quat()).residual(
        body, q) == pytest.approx(pose_rows(T_axes, target))
    at_rest = Pose('hand', point=POINT, axes=axes.as_matrix()).target_in(BodyFrames(body, q))
    assert at_rest == pytest.approx(T_axes)
    assert Pose('hand', target, (0, 1, 0, 0, 2, 3), POINT).residual(body, q) == pytest.approx(
        rows[[1, 4, 5]])
    assert Orientation('hand', target[:3, :3]).residual(body, q) == pytest.approx(rows[3:])
    assert Position('hand', target[:3, 3], POINT).residual(body, q) == pytest.approx(
        T[:3, 3] - target[:3, 3])
    seen = np.linalg.inv(F['nose']) @ F['hand']
    assert RelativePose('hand', 'nose', target).residual(body, q) == pytest.approx(
        pose_rows(seen, target))


def test_points_have_their_distances_from_lines_and_planes(place):
    body, q, F = place
    origin, axis = np.array([0.2, 0.1, 0.4]), np.array([1.0, 2.0, -2.0]) / 3.0
    off = at(F['hand']) - origin
    for kind in (PointOnPlane, HalfSpace):
        assert kind('hand', POINT, origin, 6.0 * axis).residual(body, q) == pytest.approx(
            [axis @ off])
    line = PointOnLine('hand', POINT, origin, 6.0 * axis).residual(body, q)
    assert np.linalg.norm(line) == pytest.approx(np.linalg.norm(np.cross(axis, off)))


def test_axes_have_the_angle_between_them(place):
    body, q, F = place
    axis, direction = np.array([0.0, 0.6, 0.8]), np.array([0.36, 0.48, -0.8])
    angle = np.arccos(F['fore'][:3, :3] @ axis @ direction)
    aligned = AlignAxis('fore', axis, direction).residual(body, q)
    assert np.linalg.norm(aligned) == pytest.approx(angle)
    looking = LookAt('fore', axis, F['fore'][:3, 3] + 0.7 * direction).residual(body, q)
    assert np.linalg.norm(looking) == pytest.approx(angle)
    assert LookAt('fore', axis, F['fore'][:3, 3]).residual(body, q).tolist() == [0.0, 0.0]


def test_distances_are_between_their_bounds(place):
    body, q, F = place
    off = at(F['hand']) - at(F['nose'], 2.0 * POINT)
    d = np.linalg.norm(off)
    points = POINT, 2.0 * POINT
    assert Distance('hand', 'nose', 0.2, 0.5, *points).residual(body, q) == pytest.approx(
        [d - 0.2, 0.5 - d])
    assert Distance('hand', 'nose', 0.3, 0.3, *points).residual(body, q) == pytest.approx([d - 0.3])
    assert Distance('hand', 'nose', 0.0, 0.5, *points).residual(body, q) == pytest.approx([0.5 - d])
    assert Spring('hand', 'nose', 9.0, 0.2, *points).residual(body, q) == pytest.approx([d - 0.2])
    assert Spring('hand', 'nose', 9.0, 0.0, *points).residual(body, q) == pytest.approx(off)
    world = Spring('hand', None, 9.0, 0.0, *points).residual(body, q)
    assert world == pytest.approx(at(F['hand']) - 2.0 * POINT)


def test_the_centre_of_mass_is_measured_from_a_target_and_from_edges(place):
    body, q, _ = place
    c = body.center_of_mass(q)
    task = CenterOfMass((np.nan, 0.2, 0.1), [[-1, -2], [3, -2], [3, 4], [-1, 4]])
    assert task.residual(body, q) == pytest.approx(
        [0.0, c[1] - 0.2, c[2] - 0.1, c[1] + 2, 3 - c[0], 4 - c[1], c[0] + 1])


def test_postures_leave_out_what_is_free_and_forces_ask_for_a_metre(place):
    body, q, F = place
    gains = np.arange(body.n_joints)
    assert Posture(0.5 * q, gains).residual(body, q) == pytest.approx(0.5 * q[1:])
    force = Force('hand', (3.0, 0.0, 4.0), POINT)
    assert force.residual(body, q).tolist() == [-1.0]
    along = np.array([0.6, 0.0, 0.8])
    assert force.jacobian(body, q)[0] == pytest.approx(along @ body.jacobian(q, 'hand', POINT)[:3])
    assert force.energy(BodyFrames(body, q), None, None) == pytest.approx(
        -5.0 * along @ at(F['hand']))


def test_a_task_evaluates_what_is_set_now_and_is_pickled_and_copied(place):
    body, q, F = place
    task = Position('hand', F['hand'][:3, 3])
    assert task.residual(body, q) == pytest.approx(np.zeros(3), abs=1e-12)
    for other in (copy.copy(task), copy.deepcopy(task), pickle.loads(pickle.dumps(task))):
        other.target = F['hand'][:3, 3] - 1.0
        assert other.residual(body, q) == pytest.approx(np.ones(3))
        other.point = (0.0, 0.0, 1.0)
        assert other.residual(body, q) == pytest.approx(F['hand'][:3, 2] + 1.0)
    assert task.residual(body, q) == pytest.approx(np.zeros(3), abs=1e-12)
    with pytest.raises(IkError, match='has no target'):
        Position('hand').evaluate(BodyFrames(body, q))
