import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from ik_node import tasks
from ik_node.tasks import (
    AlignAxis,
    CustomTask,
    Distance,
    Force,
    LookAt,
    Orientation,
    Pose,
    RelativePose,
    Spring,
)
from task_bodies import ROOTS, every_task, figure

ANGLES = [0.0, 1e-12, 1e-9, 1e-6, 9.9e-4, 1.01e-3, 0.5, 2.0, np.pi - 1e-2, np.pi - 1e-3]


def central_differences(task, body, q, h=1e-6):
    return np.column_stack([
        (task.residual(body, q + step) - task.residual(body, q - step)) / (2.0 * h)
        for step in h * np.eye(body.n_joints)])


def test_every_type_of_task_is_tested_here():
    kinds = {getattr(tasks, name) for name in tasks.__all__}
    assert {type(task) for task in every_task(figure())} == kinds - {
        tasks.Task, tasks.CustomTask, tasks.Force}  # a force has no residual


@pytest.mark.parametrize('index', range(len(every_task(figure()))))
@pytest.mark.parametrize('root', ROOTS)
def test_the_jacobian_is_the_derivative_of_the_residual(root, index):
    body = figure(root)
    task = every_task(body)[index]
    rng = np.random.default_rng(index)
    for _ in range(3):
        q = rng.uniform(-1.0, 1.0, body.n_joints)
        J = task.jacobian(body, q)
        layout = task.rows(body)
        assert J.shape == (len(layout.metres), body.n_joints) == (
            *task.residual(body, q).shape, body.n_joints)
        assert J == pytest.approx(central_differences(task, body, q), abs=1e-7)


@pytest.mark.parametrize('angle', ANGLES)
def test_rotations_and_axes_near_zero_and_pi_have_the_right_jacobians(angle):
    body = figure('floating')
    q = np.random.default_rng(3).uniform(-0.8, 0.8, body.n_joints)
    T = body.forward(q)['hand']
    turn = Rotation.from_rotvec(angle * np.array([2.0, -1.0, 2.0]) / 3.0).as_matrix()
    target = T.copy()
    target[:3, :3] = turn @ T[:3, :3]
    axis = np.array([0.0, 0.6, 0.8])
    across = np.cross(axis, [1.0, 0.0, 0.0])
    direction = T[:3, :3] @ (np.cos(angle) * axis + np.sin(angle) * across)
    nose = body.forward(q)['nose']
    relative = np.linalg.inv(nose) @ target
    relative[3] = 0.0, 0.0, 0.0, 1.0
    for task in (Pose('hand', target), Orientation('hand', target[:3, :3]),
                 RelativePose('hand', 'nose', relative), AlignAxis('hand', axis, direction),
                 LookAt('hand', axis, T[:3, 3] + 0.7 * direction)):
        r = task.residual(body, q)
        size = np.linalg.norm(r[task.rows(body).metres == 0])
        assert size == pytest.approx(angle, abs=1e-7), task
        # Near π two-row directions swing round fast: differences over smaller steps.
        steps, allowed = (1e-6, 1e-6) if angle < 3.0 else (1e-8, 1e-4)
        assert task.jacobian(body, q) == pytest.approx(
            central_differences(task, body, q, steps), abs=allowed,
            rel=allowed), task


def test_opposite_axes_have_a_finite_residual_of_pi():
    body = figure()
    q = np.zeros(body.n_joints)
    T = body.forward(q)['hand']
    for task in (AlignAxis('hand', (1, 0, 0), -T[:3, 0]),
                 LookAt('hand', (1, 0, 0), T[:3, 3] - T[:3, 0])):
        assert np.linalg.norm(task.residual(body, q)) == pytest.approx(np.pi)
        assert np.isfinite(task.jacobian(body, q)).all()


def test_what_has_no_derivative_is_finite():
    body = figure()
    q = np.zeros(body.n_joints)
    origin = body.forward(q)['hand'][:3, 3]
    for task in (Distance('hand', 'hand', 0.1), Distance('hand', None, 0.1, point_b=origin),
                 Spring('hand', None, 3.0, 0.2, point_b=origin),
                 LookAt('hand', (1, 0, 0), origin)):
        assert np.isfinite(task.residual(body, q)).all()
        assert np.isfinite(task.jacobian(body, q)).all()


def test_a_force_is_that_of_its_jacobian_and_does_the_work_of_its_energy():
    body = figure('floating')
    q = np.random.default_rng(5).uniform(-0.8, 0.8, body.n_joints)
    f, point = np.array([3.0, -4.0, 12.0]), np.array([0.1, 0.2, 0.3])
    task = Force('hand', f, point)
    W = task.rows(body).weights
    generalised = -task.jacobian(body, q).T @ (W ** 2 * task.residual(body, q))
    assert generalised == pytest.approx(body.jacobian(q, 'hand', point)[:3].T @ f)


def test_a_task_of_two_functions_is_as_good():
    body = figure()
    task = CustomTask(lambda q: [q[0] ** 2 - q[1], q[2]],
                      lambda q: [[2.0 * q[0], -1.0, *[0.0] * (body.n_joints - 2)],
                                 [0.0, 0.0, 1.0, *[0.0] * (body.n_joints - 3)]],
                      ('rad', 'm'), [False, True])
    q = np.linspace(0.1, 0.6, body.n_joints)
    assert task.jacobian(body, q) == pytest.approx(central_differences(task, body, q), abs=1e-8)
    assert task.rows(body).metres.tolist() == [False, True]
    assert task.rows(body).one_sided.tolist() == [False, True]
