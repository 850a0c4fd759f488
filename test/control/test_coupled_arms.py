"""Arms that share joints: solved together, each with its own goals, start and limits."""

import numpy as np
import pytest

import robots
from harness.figure_values import values
from harness.goal_runs import controller, run
from ik_node import StopReason
from ik_node.control.building import NOTHING, Built, Source, build_robot, build_tree
from ik_node.control.coupled_arms import CoupledArms
from ik_node.control.group import TaskGoal
from ik_node.control.options import SIDE, ArmOptions
from ik_node.spatial import pose_from_rpy
from ik_node.support.exceptions import OptionError

TORSO = robots.OWN / 'torso.urdf'
TOOL = (0.05, -0.02, 0.13, 0.4, -1.1, 2.0)
T_TOOL = pose_from_rpy(TOOL[:3], TOOL[3:])
TREE = robots.tree('torso')
SHARED = ('lift_joint', 'waist_joint')
NAMES = ('left', 'right')


def built(present=NOTHING, arms=NAMES, **changed):
    """Return a torso whose arms begin at its base, which they both move; __ stands for a dot."""
    every = values(model_path=str(TORSO))
    for name in arms:
        every.update({f'{name}.{key}': value for key, value in ArmOptions.defaults().items()})
        every[f'{name}.tip_link'] = f'{name}_tool0'
    source = Source({**every, **{name.replace('__', '.'): value
                                 for name, value in changed.items()}}, None)
    return Built(source, build_robot(source, build_tree(source, present), arms, present))


def tips(robot):
    """Return the poses of the tips by an independent way: forward kinematics of the whole tree."""
    frames = TREE.forward({name: value for name, value in robot.joint_values().items()
                           if TREE.joints[name].mimic is None})
    return {name: frames[f'{name}_tool0'] for name in NAMES}


def reachable(robot, seed):
    """Return goals of both tips that one configuration meets."""
    body, rng = robot.groups[''].body, np.random.default_rng(seed)
    q = robot.groups[''].start + 0.25 * rng.uniform(-1.0, 1.0, body.n_joints)
    frames = body.forward(np.clip(q, body.lower, body.upper))
    return {name: frames[f'{name}_tool0'] for name in NAMES}


def test_they_are_one_figure_with_the_joints_of_both():
    robot = built().robot
    assert list(robot.groups) == ['', SIDE]
    assert isinstance(robot.groups[''], CoupledArms)
    assert list(robot.groups[''].tasks) == list(NAMES)
    assert set(robot.groups[''].body.joint_names) == {
        *SHARED, *(f'{name}_joint_{k}' for name in NAMES for k in range(1, 8))}
    assert robot.groups[''].solver_parameters == ('left.solver', 'right.solver')


def test_a_goal_of_each_is_met_by_shared_joints_that_move():
    robot = built().robot
    for seed in range(10):
        wanted = reachable(robot, seed)
        outcome = run(controller(robot).go([TaskGoal(name, T)
                                                   for name, T in wanted.items()]))
        assert outcome.result.success
        for name, T in tips(robot).items():
            assert T == pytest.approx(wanted[name], abs=1e-5)
    assert any(abs(robot.joint_values()[name]) > 0.01 for name in SHARED)


def test_a_goal_out_of_reach_is_refused_and_nothing_moves():
    robot = built().robot
    moved, before = controller(robot), tips(robot)
    far = before['left'].copy()
    far[0, 3] += 10.0
    outcome = run(moved.go([TaskGoal('left', far)]))
    assert not outcome.accepted
    assert outcome.result.reason is not StopReason.CONVERGED
    assert 'left' in outcome.result.diagnosis
    for name, T in tips(robot).items():
        assert np.array_equal(T, before[name])
    assert run(moved.go([TaskGoal('right', reachable(robot, 2)['right'])])).accepted
    assert tips(robot)['left'] == pytest.approx(before['left'], abs=1e-5)


def test_arms_that_share_nothing_keep_solvers_of_their_own():
    robot = built(left__base_link='torso_link', left__solver='auto',
                  right__base_link='torso_link').robot
    assert robot.groups.get('') is None
    assert [arm.solver.name for arm in robot.groups.values()][:2] == ['auto', 'dls']


def test_a_third_arm_that_shares_nothing_stays_alone():
    robot = built(arms=(*NAMES, 'head'), head__base_link='torso_link', head__tip_link='head_camera',
                  head__task_weights=np.array([0.0, 0, 0, 0, 1, 1])).robot
    assert list(robot.groups[''].tasks) == list(NAMES)
    assert list(robot.groups) == ['head', '', SIDE]
    assert len(robot.groups) == 3


def test_a_change_rebuilds_only_what_it_concerns():
    first = built()
    assert built(first).robot is first.robot
    goal = reachable(first.robot, 3)['left']
    assert run(controller(first.robot).go([TaskGoal('left', goal)])).accepted
    other = built(first, left__solver='hierarchy')
    assert other.robot.groups[''].solver.name == 'hierarchy'
    assert other.robot.groups[''].body is first.robot.groups[''].body
    assert np.array_equal(other.robot.groups[''].tasks['left'].target, goal)
    apart = built(other, left__base_link='torso_link')
    assert apart.robot.groups.get('') is None
    assert tips(apart.robot)['left'] == pytest.approx(goal, abs=1e-5)
    again = built(apart, left__solver='lagrange', right__solver='lagrange')
    assert again.robot.groups[''].solver.name == 'lagrange'


@pytest.mark.parametrize(('solvers', 'used'), [
    (('dls', 'dls'), 'least_squares'), (('auto', 'dls'), 'least_squares'),
    (('dls', 'hierarchy'), 'hierarchy'), (('lagrange', 'lagrange'), 'lagrange')])
def test_the_solver_of_the_body_that_one_names_is_used(solvers, used):
    robot = built(left__solver=solvers[0], right__solver=solvers[1]).robot
    assert robot.groups[''].solver.name == used


def test_task_weights_are_those_of_each_arm():
    robot = built(left__task_weights=np.array([1.0, 1, 1, 0, 0, 0]),
                  right__task_weights='auto').robot
    assert np.array_equal(robot.groups[''].tasks['left'].weights, [1.0, 1, 1, 0, 0, 0])
    assert np.array_equal(robot.groups[''].tips['right'].weights, np.ones(6))


def test_start_pose_and_limits_of_motion_are_those_of_each_arm():
    start = np.full(9, 0.1)
    figure = built(left__start_pose=start, left__velocity_limits=0.5,
                   right__velocity_limits=0.25, right__speed=0.5).robot.groups['']
    at = dict(zip(figure.body.joint_names, figure.start))
    limit = dict(zip(figure.body.joint_names, figure.limits.velocity))
    assert at['lift_joint'] == at['left_joint_3'] == 0.1
    assert at['right_joint_3'] == 0.0
    assert limit['left_joint_1'] == 0.5
    assert limit['right_joint_1'] == limit['waist_joint'] == 0.125  # of the slower one


@pytest.mark.parametrize(('changed', 'reason'), [
    ({'left__solver': 'analytic'}, "left.solver must be one of 'dls', 'auto', .*, not 'analytic'"),
    ({'left__solver': 'lagrange', 'right__solver': 'hierarchy'},
     "'left.solver', 'right.solver' must be the same, not 'lagrange', 'hierarchy'"),
    ({'left__trajectory_topic': '/a', 'right__trajectory_topic': '/b'}, 'must be the same'),
    ({'root': 'planar'}, "root must be fixed with the arms 'left', 'right', which share joints"),
    ({'motion': 'cartesian'}, 'motion cartesian moves one tip'),
    ({'left__base_link': 'lift_link', 'right__base_link': 'lift_link'},
     "left.base_link must be a link that no joint moves, .* which is moved by 'lift_joint'"),
    ({'left__start_pose': np.full(9, 0.1), 'right__start_pose': np.full(9, 0.05)},
     "must have the same value of joint 'lift_joint', not 0.1 and 0.05"),
    ({'left__start_pose': np.full(9, 9.0)}, 'start_pose: 9 is outside the limits')])
def test_values_that_do_not_fit_together_are_refused(changed, reason):
    with pytest.raises(OptionError, match=reason):
        built(**changed)


@pytest.mark.parametrize('topics', [{'left': '/a'}, {'right': '/a'}, {'left': '/a', 'right': '/a'},
                                    {}])
def test_the_topic_of_motions_that_some_of_them_name_is_that_of_all(topics):
    robot = built(**{f'{name}__trajectory_topic': topic for name, topic in topics.items()}).robot
    assert robot.groups[''].output == (('trajectory', '/a') if topics else ('none', ''))


def test_before_the_first_goal_targets_are_where_a_real_robot_stands():
    robot = built().robot
    moved = controller(robot)
    measured = robot.groups[''].start + 0.2
    robot.move(robot.groups[''], measured)  # as joint states of the robot do
    moved.begin_at_present()
    before = tips(robot)
    T = before['left'].copy()
    T[2, 3] -= 0.05
    assert run(moved.go([TaskGoal('left', T)])).accepted
    assert tips(robot)['right'] == pytest.approx(before['right'], abs=1e-5)
    there = tips(robot)['left']
    moved.begin_at_present()  # goals have moved it: its targets stay
    assert np.array_equal(robot.groups[''].tasks['left'].target, T)
    assert there == pytest.approx(T, abs=1e-5)


@pytest.mark.parametrize('solver', ['least_squares', 'hierarchy', 'lagrange'])
def test_a_solver_of_a_body_meets_the_goal_with_the_tool_along_its_axes(solver):
    source = Source(values(model_path=str(TORSO), solver=solver, tip_link='left_tool0', tool=TOOL,
                           task_weights=np.array([1.0, 1.0, 0.0, 1.0, 1.0, 1.0])), None)
    robot = build_robot(source, build_tree(source, NOTHING), ('',), NOTHING)
    group = robot.groups['']
    T = group.body.forward(group.start + 0.1)['left_tool0'] @ T_TOOL
    assert run(controller(robot).go([TaskGoal('goal', T)])).accepted
    found = tips(robot)['left'] @ T_TOOL
    assert found[:3, :3] == pytest.approx(T[:3, :3], abs=1e-5)
    missed = T[:3, :3].T @ (found[:3, 3] - T[:3, 3])
    assert missed[:2] == pytest.approx([0.0, 0.0], abs=1e-5)  # z of the tool is free


def test_arms_that_share_joints_have_tools_of_their_own():
    robot = built(left__tool=TOOL).robot
    wanted = reachable(robot, 4)
    goals = {'left': wanted['left'] @ T_TOOL, 'right': wanted['right']}
    assert run(controller(robot).go([TaskGoal(name, T)
                                     for name, T in goals.items()])).accepted
    for name, T in tips(robot).items():
        assert T == pytest.approx(wanted[name], abs=1e-5)


def test_another_tool_of_an_arm_that_shares_joints_keeps_the_goal_of_the_other():
    first = built(left__tool=TOOL)
    goals = reachable(first.robot, 5)
    for name, T in goals.items():
        assert run(controller(first.robot).go([TaskGoal(name, T)])).accepted
    group = built(first, left__tool=TOOL, left__task_weights=(1.0,) * 5 + (2.0,)).robot.groups['']
    assert np.array_equal(group.tasks['left'].target, goals['left'])
    group = built(first, left__tool=(0.0,) * 6).robot.groups['']
    assert np.array_equal(group.tasks['right'].target, goals['right'])
    assert group.tasks['left'].target == pytest.approx(goals['left'] @ np.linalg.inv(T_TOOL),
                                                       abs=1e-5)
