"""Goals for one rotation mean one heading; those for two rotations, the direction of one axis."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import robots
import soak_headings
from ik_node import Goal, make_body_solver, make_solver, solver_names
from ik_node.plugins import pose_error
from ik_node.support.exceptions import InputError
from ik_node.tasks import Pose
from ik_node.workspace.task_rank import task_rank
from task_bodies import figure

DOWN = Rotation.from_euler('x', np.pi).as_matrix()
UP_FRONT = Rotation.from_euler('y', 90, degrees=True).as_matrix()
BODY_SOLVERS = ('least_squares', 'hierarchy', 'lagrange', 'optimization', 'genetic')
ABOUT_Z = (1, 1, 1, 0, 0, 1)
ANGLES = [0.0, 1e-9, 1e-3, 0.7, 1.5, 3.0, np.pi - 1e-9, np.pi, -np.pi + 1e-6, -0.4]


def upright(chain, yaw, position=(0.35, 0.2, 0.2), weights=ABOUT_Z):
    return Goal(position, Rotation.from_euler('z', yaw).as_matrix(), weights)


def yaw_of(chain, q):
    return np.arctan2(*chain.forward(q)[[1, 0], 0])


@pytest.mark.parametrize('name', solver_names())
@pytest.mark.parametrize('R_tool', [np.eye(3), DOWN], ids=['up', 'down'])
def test_a_scara_turns_to_the_yaw_of_the_goal_whatever_the_tool(name, R_tool):
    chain = soak_headings.arm('scara', R_tool).chain()
    solver = make_solver(name, chain, **robots.needed(name, chain))
    for yaw in ANGLES:
        result = solver.solve(upright(chain, yaw))
        assert result.success
        assert abs(np.angle(np.exp(1j * (yaw_of(chain, result.q) - yaw)))) < 2e-6


@pytest.mark.parametrize('name', BODY_SOLVERS)
def test_a_body_turns_to_the_yaw_of_the_target_whatever_the_tool(name):
    body = soak_headings.arm('scara', DOWN).body()
    for yaw in ANGLES:
        task = upright(None, yaw).as_task('tip')
        result = make_body_solver(name, body, [task]).solve()
        assert result.success
        heading = np.arctan2(*body.forward(result.q)['tip'][[1, 0], 0])
        assert abs(np.angle(np.exp(1j * (heading - yaw)))) < 2e-6


def test_the_weights_that_an_arm_can_serve_ask_for_one_heading():
    chain = soak_headings.arm('scara', DOWN).chain()
    weights = task_rank(chain).weights
    assert tuple(weights) == ABOUT_Z
    found = [yaw_of(chain, make_solver('dls', chain).solve(upright(chain, yaw, weights=weights)).q)
             for yaw in (0.0, 0.7, 1.5)]
    assert found == pytest.approx([0.0, 0.7, 1.5], abs=2e-6)


@pytest.mark.parametrize('name', solver_names())
def test_a_tip_without_heading_is_refused_with_the_reason(name):
    for tilt in (0.0, 3.7e-6, -3.7e-6):  # 1.5708 for a right angle
        R_tool = UP_FRONT @ Rotation.from_euler('z', tilt).as_matrix()
        chain = soak_headings.arm('scara', R_tool).chain()
        solver = make_solver(name, chain, **robots.needed(name, chain))
        for solve in (solver.solve, solver.closest):
            with pytest.raises(InputError, match=r"heading of the tip's x axis .* parallel"):
                solve(upright(chain, 0.7))
        with pytest.raises(InputError, match=r"goals\[1\] .* heading of the tip's x axis"):
            solver.solve_path([Goal([0.35, 0.2, 0.2]), upright(chain, 0.7)])


@pytest.mark.parametrize('name', BODY_SOLVERS)
def test_the_diagnosis_of_a_body_says_that_there_is_no_heading(name):
    body = soak_headings.arm('scara', UP_FRONT).body()
    result = make_body_solver(name, body, [upright(None, 0.7).as_task('tip')]).solve()
    assert not result.success
    assert "heading of the tip's x axis" in result.diagnosis


@pytest.mark.parametrize('free', range(3))
def test_two_rotations_ask_for_the_direction_of_the_third_axis_near_half_turns_too(free):
    chain, rng = robots.chain('panda'), np.random.default_rng(7)
    weights = np.array([1, 1, 1, *(np.arange(3) != free)])
    dls = make_solver('dls', chain)
    for turn in (np.pi, np.pi - 1e-6, np.pi - 1e-3, 3.0):
        q = robots.random_q(chain, rng, 0.6)
        T = chain.forward(q)
        T[:3, :3] = T[:3, :3] @ Rotation.from_rotvec(turn * np.eye(3)[free]).as_matrix()
        result = dls.solve(Goal.from_pose(T, weights), q + 0.05)
        assert result.success
        assert chain.forward(result.q)[:3, free] == pytest.approx(T[:3, free], abs=2e-6)
        assert np.abs(result.q - q).max() < 0.5  # the half turn is free


def vector_of(axis, heading, tilt):
    """Return a rotation (3, 3) whose next axis has a heading about an axis, with a tilt."""
    j, k = (axis + 1) % 3, (axis + 2) % 3
    t = np.sin(tilt) * np.eye(3)[axis] + np.cos(tilt) * (
        np.cos(heading) * np.eye(3)[j] + np.sin(heading) * np.eye(3)[k])
    other = np.cross(t, [0.3, -0.5, 0.8])
    other /= np.linalg.norm(other)
    R = np.empty((3, 3))
    R[:, j], R[:, k], R[:, axis] = t, other, np.cross(t, other)
    return R


@pytest.mark.parametrize('axis', range(3))
@pytest.mark.parametrize('tilt', [0.0, 0.8, -0.8, 1.5, -1.56, np.pi / 2 - 2e-3])
def test_the_row_of_a_heading_decreases_by_its_jacobian(axis, tilt):
    chain = robots.chain('panda')
    q = robots.middle(chain) + 0.3
    weights = np.array([0, 0, 0, *(2.0 * (np.arange(3) == axis))])
    rows = make_solver('optimization', chain)._verifier.rows
    T, body = chain.forward(q), figure('floating')
    at = np.random.default_rng(3).uniform(-0.8, 0.8, body.n_joints)
    hand = body.forward(at)['hand']
    for heading in (0.0, 1e-9, 0.5, -2.0, np.pi - 1e-3, -np.pi + 1e-3):
        goal, target = T.copy(), hand.copy()
        goal[:3, :3] = T[:3, :3] @ vector_of(axis, heading, tilt).T
        target[:3, :3] = hand[:3, :3] @ vector_of(axis, heading, tilt).T
        (V, J, *_), h = rows(goal, weights, q), 1e-7 * np.cos(tilt)
        for k in range(7):
            behind, ahead = (rows(goal, weights, q + step * np.eye(7)[k])[0] for step in (-h, h))
            assert J[3 + axis, k] == pytest.approx((behind - ahead)[3 + axis] / (2 * h), rel=1e-5,
                                                   abs=1e-5 / np.cos(tilt))
        assert V[3 + axis] == pytest.approx(-2.0 * heading, abs=1e-9 / np.cos(tilt))
        assert pose_error(chain, Goal.from_pose(goal, weights), q)[3 + axis] == pytest.approx(
            -heading, abs=1e-9 / np.cos(tilt))
        task = Pose('hand', target, weights)
        assert task.residual(body, at) == pytest.approx([heading], abs=1e-9 / np.cos(tilt))
        slope = [(task.residual(body, at + h * e)[0] - task.residual(body, at - h * e)[0]) / (2 * h)
                 for e in np.eye(body.n_joints)]
        assert task.jacobian(body, at)[0] == pytest.approx(slope, rel=1e-5, abs=1e-5 / np.cos(tilt))


def test_a_tip_that_has_no_heading_is_led_to_one():
    chain = robots.chain('panda')
    q = robots.middle(chain) + 0.3
    T = chain.forward(q)
    T[:3, :3] = T[:3, :3] @ UP_FRONT.T  # the tip's x axis is along the goal's z axis
    for name in ('dls', 'pseudoinverse', 'ccd', 'optimization', 'genetic', 'transpose'):
        result = make_solver(name, chain, max_restarts=0).solve(Goal.from_pose(T, ABOUT_Z), q)
        assert result.success, name


def test_self_motions_and_paths_keep_a_heading():
    chain = soak_headings.arm('six', np.eye(3)).chain()
    q = np.array([0.3, 0.5, -0.4, 0.6, 0.5, 0.2])
    T = chain.forward(q)
    T[:3, :3] = Rotation.from_euler('z', 0.4).as_matrix()
    goals = []
    for _ in range(12):
        T[1, 3] += 0.005
        goals.append(Goal.from_pose(T, ABOUT_Z))
    path = make_solver('dls', chain).solve_path(goals, q)
    assert path.success.all()
    for goal, one in zip(goals, path.q):
        assert soak_headings.off(goal.orientation, chain.forward(one)[:3, :3], goal.weights) < 2e-6
    five = soak_headings.arm('five', np.eye(3)).chain()
    solver = make_solver('dls', five)
    goal = Goal([0.3, 0.25, 0.3], Rotation.from_euler('z', 0.7).as_matrix(), (1, 1, 0, 0, 0, 1))
    assert solver.closest(goal).success
    result = solver.solve(Goal([0.3, 0.25, 0.3], goal.orientation, (1, 1, 1, 0, 0, 1)))
    assert result.success
    for motion in solver.self_motion(Goal([0.3, 0.25, 0.3], goal.orientation, (1, 1, 1, 0, 0, 1))):
        for one in motion.configurations:
            assert soak_headings.off(goal.orientation, five.forward(one)[:3, :3],
                                     goal.weights) < 1e-6
