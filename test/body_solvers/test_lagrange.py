"""Multipliers: the equations of the lecture, masses, forces, one-sided constraints."""

import numpy as np
import pytest

import robots
from ik_node import KinematicTree, make_body_solver
from ik_node.model.geometry import Box, Visual
from ik_node.model.joints import Joint
from ik_node.model.parts import Inertial
from ik_node.support.exceptions import OptionError
from ik_node.tasks import Distance, Force, HalfSpace, Pose, Position, Posture, Spring
from task_bodies import hand, placed, two_arms


def unlimited(**options):
    body = two_arms('planar', limit=100.0, speed=np.inf)
    return body, make_body_solver('lagrange', body, [Position('left_hand', (0.8, 0.6, 0.0))],
                                  **options)


@pytest.mark.parametrize('mass', ['inertia', 'uniform', np.arange(1.0, 10.0)])
def test_the_velocity_is_that_of_the_equation(mass):
    body, solver = unlimited(mass=mass)
    q, dt = np.array([0.1, -0.1, 0.2, 0.3, 0.5, -0.4, 0.1, 0.2, 0.3]), 1.0
    solver.tasks[0].target = hand(body, q) + [0.01, -0.02, 0.0]
    M = body.mass_matrix(q) if isinstance(mass, str) and mass == 'inertia' else np.diag(
        np.ones(9) if isinstance(mass, str) else mass)
    W = np.linalg.inv(M)
    J = body.jacobian(q, 'left_hand')[:2]
    expected = W @ J.T @ np.linalg.solve(J @ W @ J.T, [0.01, -0.02])
    assert solver.velocity(q, dt) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize('feedback', [1.0, 0.3, 0.0])
def test_feedback_is_the_part_of_the_error_that_a_step_corrects(feedback):
    body, solver = unlimited(feedback=feedback)
    q = np.array([0.1, -0.1, 0.2, 0.3, 0.5, -0.4, 0.1, 0.2, 0.3])
    offset = np.array([1e-4, -2e-4, 0.0])
    solver.tasks[0].target = hand(body, q) + offset
    for dt in (0.01, 1.0):
        moved = body.jacobian(q, 'left_hand')[:3] @ solver.velocity(q, dt) * dt
        assert moved == pytest.approx(feedback * offset, abs=1e-10)


def test_forces_move_the_figure_within_its_constraints():
    body = two_arms('planar', limit=100.0, speed=np.inf)
    q = np.array([0.1, -0.1, 0.2, 0.3, 0.5, -0.4, 0.1, 0.2, 0.3])
    held = Position('left_hand', hand(body, q))
    f = np.array([2.0, 1.0, 0.0])
    W, J = np.linalg.inv(body.mass_matrix(q)), body.jacobian(q, 'left_hand')[:2]
    pull = body.jacobian(q, 'right_hand')[:3].T @ f
    expected = W @ (pull - J.T @ np.linalg.solve(J @ W @ J.T, J @ W @ pull))
    velocity = make_body_solver('lagrange', body, [held, Force('right_hand', f)]).velocity(q, 0.01)
    assert velocity == pytest.approx(expected, abs=1e-9)
    assert J @ velocity == pytest.approx([0.0, 0.0], abs=1e-12)


def test_a_stiff_spring_is_stable_and_a_short_step_is_that_of_its_force():
    body = two_arms('planar', limit=100.0, speed=np.inf)
    q = np.array([0.1, -0.1, 0.2, 0.3, 0.5, -0.4, 0.1, 0.2, 0.3])
    spring = Spring('left_hand', None, 40.0, point_b=(1.0, 1.0, 0.0))
    solver = make_body_solver('lagrange', body, [spring])
    p = hand(body, q)
    pull = body.jacobian(q, 'left_hand')[:3].T @ (40.0 * (np.array([1.0, 1.0, 0.0]) - p))
    assert solver.velocity(q, 1e-7) == pytest.approx(np.linalg.solve(body.mass_matrix(q), pull),
                                                    rel=1e-3, abs=1e-4)
    spring.stiffness = 1e8
    x = q + solver.velocity(q, 0.1) * 0.1
    assert np.linalg.norm(body.forward(x)['left_hand'][:3, 3] - [1.0, 1.0, 0.0]) < 0.3


def test_lower_priorities_pull_and_do_not_hold():
    body = two_arms()
    tasks = [Position('left_hand', (0.8, 0.2, 0.0), name='held'),
             Position('left_hand', (0.8, 0.9, 0.0), priority=2, weight=5.0, name='pull')]
    result = make_body_solver('lagrange', body, tasks).solve(np.full(6, 0.4))
    assert result.success
    assert result.errors['held'][0] <= 1e-6
    assert result.errors['pull'][0] == pytest.approx(0.7, abs=1e-5)


def test_masses_decide_which_joint_moves():
    body = two_arms()
    task = Position('left_hand')
    q0 = np.array([0.1, 0.8, -1.2, 0.0, 0.0, 0.0])
    task.target = body.forward(q0)['left_hand'][:3, 3] + [-0.1, 0.1, 0.0]
    uniform, inertia = (np.abs(make_body_solver('lagrange', body, [task], mass=mass).solve(
        q0).q - q0)[:3] for mass in ('uniform', 'inertia'))
    assert np.abs(inertia - uniform).max() > 0.01
    heavy = np.abs(make_body_solver('lagrange', body, [task], mass=[1e3, 1, 1, 1, 1, 1]).solve(
        q0).q - q0)
    assert heavy[0] < 0.1 * uniform[0]


def test_a_humanoid_of_uniform_mass_is_stiff_armed_and_one_with_inertia_bends_its_elbow():
    body = robots.tree('humanoid').body('floating')
    start = body.forward(body.neutral())
    palm, bends, leans = Position('left_palm'), [], []
    for mass in ('uniform', 'inertia'):
        solver = make_body_solver('lagrange', body, [
            Pose('left_sole', start['left_sole']), Pose('right_sole', start['right_sole']), palm],
            mass=mass)
        q = body.neutral()
        for part in np.linspace(0.0, 1.0, 21):
            palm.target = start['left_palm'][:3, 3] + part * np.array([0.45, 0.1, 0.5])
            q = q + 0.1 * solver.velocity(q, 0.1)
        assert body.forward(q)['left_palm'][:3, 3] == pytest.approx(palm.target, abs=0.01)
        bends.append(q[body.joint_names.index('left_elbow')])
        leans.append(abs(q[body.joint_names.index('waist_pitch')]))
    assert bends[1] > 3.0 * bends[0]
    assert leans[0] > 3.0 * leans[1]


def test_a_wall_pushes_but_does_not_pull():
    body = two_arms(speed=np.inf)
    q = np.array([0.3, 0.3, 0.3, 0.0, 0.0, 0.0])
    p = hand(body, q)
    wall = HalfSpace('left_hand', (0, 0, 0), p, (1.0, 0.0, 0.0))
    J = body.jacobian(q, 'left_hand')[0]
    for force, pushed in (((-5.0, 0.0, 0.0), True), ((5.0, 0.0, 0.0), False)):
        velocity = make_body_solver('lagrange', body, [wall, Force('left_hand', force)]).velocity(
            q, 1e-3)
        assert (abs(J @ velocity) < 1e-9) == pushed
        assert J @ velocity > -1e-9


def test_constraints_in_conflict_are_missed_by_equal_parts():
    body = two_arms()
    tasks = [Position('left_hand', (0.8, 0.2, 0.0)), Position('left_hand', (0.8, 0.4, 0.0))]
    result = make_body_solver('lagrange', body, tasks, max_restarts=1).solve(np.full(6, 0.4))
    assert not result.success
    assert body.forward(result.q)['left_hand'][:3, 3] == pytest.approx([0.8, 0.3, 0], abs=1e-3)


@pytest.mark.parametrize('mass', ['heavy', [1.0], [1.0] * 5 + [0.0], -1.0, None])
def test_a_mass_that_is_none_is_refused(mass):
    with pytest.raises(OptionError, match='lagrange.mass'):
        make_body_solver('lagrange', two_arms(), [Posture()], mass=mass)


def test_a_robot_without_inertials_and_shapes_has_the_mass_of_rods_along_its_links():
    body = robots.planar(1.0, 1.0).tree.body()
    solver = make_body_solver('lagrange', body, [Position('tip', (1.0, 1.0, 0.0))])
    assert solver.solve([0.1, 0.2]).success
    # The first joint carries both links, the second only one: it does more of the motion.
    task = Distance('tip', None, lower=1.5, upper=1.5)
    task.point_b = (0.3, 1.0, 0.0)
    shares = []
    for mass in ('inertia', 'uniform'):
        moved = np.abs(make_body_solver('lagrange', body, [task], mass=mass).velocity(
            [0.2, 1.2], 1.0))
        shares.append(moved[1] / moved.sum())
    assert shares[0] > shares[1] + 0.1


def test_links_without_inertials_move_like_those_with_the_inertials_of_their_shapes():
    z = np.eye(3)[2]
    links = ['base', 'upper', 'fore']
    joints = [Joint('a', 'revolute', 'base', 'upper', np.eye(4), z, -3.0, 3.0),
              Joint('b', 'revolute', 'upper', 'fore', placed(0.5, 0.0, 0.0), z, -3.0, 3.0)]
    shapes = {link: [Visual(Box((0.5, 0.1, 0.1)), placed(0.25, 0.0, 0.0))] for link in links[1:]}
    # m = 1000 · 0.005 kg = 5 kg, I_zz = m (0.25 + 0.01) / 12
    inertial = Inertial(5.0, [0.25, 0, 0], 5.0 / 12.0 * np.diag([0.02, 0.26, 0.26]))
    task = Distance('fore', None, lower=0.3, upper=0.3, point_a=(0.5, 0.0, 0.0))
    q = np.array([0.3, 1.2])
    moved = [make_body_solver('lagrange', KinematicTree(links, joints, **given).body(), [
        task]).velocity(q, 0.1) for given in (
            {'visuals': shapes}, {'inertials': dict.fromkeys(links[1:], inertial)},
            {'inertials': {'upper': inertial}, 'visuals': shapes})]
    assert np.abs(moved[0]).max() > 0.1
    assert moved[0] == pytest.approx(moved[1], rel=1e-9)
    assert moved[0] == pytest.approx(moved[2], rel=1e-9)
