"""Solving once as MoveIt asks for it, with plain objects for its messages."""

from types import SimpleNamespace as Message

import numpy as np
import pytest
from builtin_interfaces.msg import Duration
from geometry_msgs.msg import Pose, PoseStamped, Quaternion

import robots
from harness.figure_values import built
from harness.goal_runs import run
from ik_node import KinematicTree, make_solver
from ik_node.collision import CollisionModel, Obstacle, Sphere
from ik_node.control import group as group_module
from ik_node.control.arm import Arm
from ik_node.control.collision_world import CollisionWorld
from ik_node.control.group_source import GroupSource
from ik_node.control.options import ArmOptions
from ik_node.control.robot import Robot
from ik_node.ros.conversions import matrix_to_pose
from ik_node.ros.services.ik_request import Code, Context, solve_once
from ik_node.spatial import pose_from_rpy
from ik_node.support.exceptions import InputError, ModelError
from measured_robots import lift_tree

TREE = KinematicTree.from_urdf(robots.OWN / 'arm_6r.urdf')
CHAIN = TREE.chain()
TORSO = KinematicTree.from_urdf(robots.OWN / 'torso.urdf')
Q = np.array([0.3, -0.4, 0.6, 0.2, -0.7, -0.1])
FAR = pose_from_rpy((9.0, 0.0, 0.0), (0.0, 0.0, 0.0))


@pytest.fixture
def robot():
    return Robot(TREE, {'': Arm(GroupSource(TREE, ArmOptions()))})


@pytest.fixture
def torso():
    return Robot(TORSO, {name: Arm(GroupSource(TORSO, ArmOptions(
        base_link='torso_link', tip_link=f'{name}_tool0'), name=name))
                         for name in ('left', 'right')})


def in_target(robot, group, task, header):
    if header.frame_id == 'nowhere':
        raise InputError("unknown frame 'nowhere'")
    link = group.target_links[task] or robot.tree.root
    return robot.in_link(link, header.frame_id or link)


def stamped(T, frame=''):
    message = PoseStamped(pose=matrix_to_pose(T))
    message.header.frame_id = frame
    return message


def state(joints=(), **fields):
    names, positions = list(dict(joints)), list(dict(joints).values())
    return Message(**{'joint_state': Message(name=names, position=positions),
                      'multi_dof_joint_state': Message(joint_names=[]),
                      'attached_collision_objects': [], **fields})


def request(pose=None, **fields):
    return Message(**{
        'group_name': '', 'robot_state': state(), 'ik_link_name': '', 'ik_link_names': [],
        'constraints': Message(joint_constraints=[], position_constraints=[],
                               orientation_constraints=[], visibility_constraints=[]),
        'avoid_collisions': False, 'pose_stamped': pose or stamped(CHAIN.forward(Q)),
        'pose_stamped_vector': [], 'timeout': Duration(), **fields})


def bounded_twin(group, timeout, collisions):
    twin = group.with_timeout(timeout or np.inf)
    if collisions is not None:
        twin.solver.avoid(collisions)
    return twin


def asked(robot, solver=bounded_twin, prefix='', mode='check', **fields):
    return run(solve_once(request(**fields), robot, Context(in_target, solver, prefix, mode)))


def test_joints_outside_the_arm_are_where_they_are_measured():
    tree = lift_tree()
    robot = Robot(tree, {'': Arm(GroupSource(tree, ArmOptions(base_link='mount',
                                                              tip_link='tool')))})
    values = {'lift': 0.4, 'pan': 0.6, 'tilt': 0.2, 'finger': 0.03, 'joint_1': 0.3}
    robot.measure(values)
    T = tree.forward(values)
    for frame in ('camera', 'link_2', 'finger_link'):
        goal = np.linalg.inv(T[frame]) @ T['mount'] @ tree.chain('mount', 'tool').forward(Q)
        response = asked(robot, pose=stamped(goal, frame))
        assert response.code == Code.SUCCESS, response.message
        assert response.joints['other_finger'] == pytest.approx(0.07)
        reached = tree.forward({name: response.joints[name] for name in tree.independent_joints})
        assert reached['tool'] == pytest.approx(T[frame] @ goal, abs=1e-5)
    response = asked(robot, pose=stamped(goal, 'finger_link'), robot_state=state({'lift': 0.0}))
    assert response.joints['lift'] == 0.0
    assert robot.present == {**robot.present, **values}


def humanoid():
    """Return a robot with two poses and a position as tasks, their targets where they are."""
    return built(tasks=('left', 'right', 'gaze'), left__type='pose', left__link='left_palm',
                 right__type='pose', right__link='right_palm',
                 gaze__type='position', gaze__link='gaze').robot


def test_a_task_is_named_by_its_name_or_its_link_and_others_keep_their_targets():
    robot = humanoid()
    group = robot.groups['']
    frames = group.body.forward(robot.joint_configuration(group))
    joints = [joint.name for joint in robot.tree.path('pelvis', 'left_palm')
              if joint.moves and joint.name.startswith('left')]
    there = robot.with_values({name: 0.5 * (robot.tree.joints[name].lower
                                            + robot.tree.joints[name].upper) for name in joints})
    T = group.body.forward(there.joint_configuration(group))['left_palm']
    for fields in ({'group_name': 'left'}, {'ik_link_name': 'left_palm'}):
        answer = asked(robot, pose=stamped(T), **fields)
        assert answer.code == Code.SUCCESS, answer.message
        there = group.body.forward([answer.joints[name] for name in group.body.joint_names])
        assert there['left_palm'] == pytest.approx(T, abs=3e-6)
        assert there['right_palm'] == pytest.approx(frames['right_palm'], abs=3e-6)
        assert there['gaze'][:3, 3] == pytest.approx(frames['gaze'][:3, 3], abs=3e-6)
    assert group.tasks['left'].target == pytest.approx(frames['left_palm'])  # no state


def test_a_task_without_a_pose_is_no_group():
    answer = asked(humanoid(), group_name='gaze')
    assert answer.code == Code.INVALID_GROUP_NAME
    assert "no task with a pose 'gaze' for a group; there is 'left', 'right'" in answer.message
    robot = built(tasks=('a',), a__type='position', a__link='gaze').robot
    assert asked(robot).code == Code.INVALID_GROUP_NAME


def test_the_solution_meets_the_goal_and_the_robot_stays_where_it_is(robot):
    before = robot.joint_values()
    answer = asked(robot)
    assert answer.code == Code.SUCCESS, answer.message
    assert list(answer.joints) == list(CHAIN.joint_names)
    assert CHAIN.forward(list(answer.joints.values())) == pytest.approx(CHAIN.forward(Q), abs=2e-6)
    assert robot.joint_values() == before


def test_with_a_tool_a_pose_is_of_the_tool_or_of_the_link_that_is_named():
    tool = (0.05, -0.02, 0.13, 0.4, -1.1, 2.0)
    robot = Robot(TREE, {'': Arm(GroupSource(TREE, ArmOptions(tool=tool)))})
    T, T_tool = CHAIN.forward(Q), pose_from_rpy(tool[:3], tool[3:])
    for fields in ({'pose': stamped(T @ T_tool)}, {'pose': stamped(T), 'ik_link_name': 'tool0'}):
        answer = asked(robot, **fields)
        assert answer.code == Code.SUCCESS, answer.message
        assert CHAIN.forward(list(answer.joints.values())) == pytest.approx(T, abs=2e-6)


def test_the_start_says_which_of_several_solutions_is_found(robot):
    branches = make_solver('analytic', CHAIN).solve_all(CHAIN.forward(Q))
    assert len(branches) > 2
    for branch in branches:
        start = dict(zip(CHAIN.joint_names, branch + 0.01))
        joints = dict(reversed(start.items()))  # by name, in any order
        answer = asked(robot, robot_state=state(joints))
        assert list(answer.joints.values()) == pytest.approx(branch, abs=1e-4)


def test_joints_the_start_does_not_name_are_where_the_robot_is(torso):
    left, right = torso.groups['left'], torso.groups['right']
    torso.move(right, np.full(7, 0.25))
    goal = stamped(left.chain.forward(np.full(7, 0.3)))
    answer = asked(torso, group_name='left', pose=goal,
                   robot_state=state({right.chain.joint_names[0]: 0.5}))
    assert answer.code == Code.SUCCESS, answer.message
    assert set(answer.joints) == set(torso.joint_values())
    expected = [0.5] + [0.25] * 6
    assert [answer.joints[name] for name in right.chain.joint_names] == expected


def test_a_link_that_the_goal_is_in_the_frame_of_is_where_the_start_has_it(robot):
    start = dict(zip(CHAIN.joint_names, Q))
    closer = np.eye(4)
    closer[0, 3] = -0.02
    answer = asked(robot, pose=stamped(closer, 'tool0'), robot_state=state(start))
    assert answer.code == Code.SUCCESS, answer.message
    assert CHAIN.forward(list(answer.joints.values())) == pytest.approx(
        CHAIN.forward(Q) @ closer, abs=2e-6)


@pytest.mark.parametrize(('fields', 'code', 'words'), [
    ({'group_name': 'manipulator'}, Code.INVALID_GROUP_NAME,
     "no arm and no task with a pose 'manipulator' for a group; leave it empty, or name the arm by "
     'the parameter arms'),
    ({'ik_link_name': 'link_3'}, Code.INVALID_LINK_NAME,
     "must be the tip of an arm, one of 'tool0', not 'link_3'"),
    ({'ik_link_names': ['tool0', 'tool0']}, Code.INVALID_LINK_NAME, '2 links and 1 poses'),
    ({'pose_stamped_vector': [stamped(np.eye(4))] * 2}, Code.INVALID_GROUP_NAME,
     "there are 1 tips to solve for, '', and 2 poses"),
    ({'pose': stamped(np.eye(4), 'nowhere')}, Code.FRAME_TRANSFORM_FAILURE, "frame 'nowhere'"),
    ({'robot_state': state({'joint_1': float('nan')})}, Code.INVALID_ROBOT_STATE,
     "position of 'joint_1' is nan, not a finite number"),
    ({'robot_state': state({'joint_1': 1e10})}, Code.INVALID_ROBOT_STATE, 'at most 1e+09'),
    ({'robot_state': state(joint_state=Message(name=['joint_1'], position=[]))},
     Code.INVALID_ROBOT_STATE, '1 names and 0 positions'),
    ({'robot_state': state(joint_state=Message(name=['a', 'a'], position=[0.0, 1.0]))},
     Code.INVALID_ROBOT_STATE, "joint 'a' is named more than once"),
    ({'constraints': Message(joint_constraints=[1], position_constraints=[],
                             orientation_constraints=[], visibility_constraints=[])},
     Code.INVALID_GOAL_CONSTRAINTS, 'constraints are not supported'),
    ({'timeout': Duration(sec=-1)}, Code.FAILURE, 'timeout must not be negative, not -1 s'),
    ({'pose': PoseStamped(pose=Pose(orientation=Quaternion(w=0.0)))},
     Code.INVALID_GOAL_CONSTRAINTS, 'is not a quaternion'),
    ({'pose': stamped(FAR)}, Code.NO_IK_SOLUTION, 'out of reach'),
    ({'pose': stamped(FAR)}, Code.NO_IK_SOLUTION, 'position error')])
def test_what_cannot_be_solved_is_refused_with_its_code_and_the_reason(robot, fields, code, words):
    answer = asked(robot, **fields)
    assert (answer.code, dict(answer.joints)) == (code, {})
    assert words in answer.message


def around(T, radius=0.12):
    place = np.eye(4)
    place[:3, 3] = T[:3, 3]
    return CollisionWorld((Obstacle(Sphere(radius), place, name='ball'),), 0, 1)


def test_a_solution_that_should_avoid_collisions_is_free(robot):
    answer = asked(robot, avoid_collisions=True)
    assert answer.code == Code.SUCCESS
    assert CHAIN.forward(list(answer.joints.values())) == pytest.approx(CHAIN.forward(Q), abs=2e-6)
    assert CollisionModel(CHAIN).is_free(list(answer.joints.values()))
    robot.set_world(around(CHAIN.forward(Q)))
    answer = asked(robot, avoid_collisions=True)
    assert (answer.code, dict(answer.joints)) == (Code.NO_IK_SOLUTION, {})
    assert "deep in 'ball'" in answer.message
    assert asked(robot).code == Code.SUCCESS  # as it need not
    robot.set_world(CollisionWorld((), 0, 2))
    assert asked(robot, avoid_collisions=True).code == Code.SUCCESS


@pytest.mark.parametrize(('mode', 'code'), [
    ('report', Code.COLLISION_CHECKING_UNAVAILABLE), ('ignore', Code.SUCCESS)])
def test_where_nothing_is_checked_the_solution_is_as_without(robot, mode, code):
    robot.set_world(around(CHAIN.forward(Q)))
    answer = asked(robot, mode=mode, avoid_collisions=True)
    assert answer.code == code
    assert ('not checked' in answer.message) == (mode == 'report')
    assert CHAIN.forward(list(answer.joints.values())) == pytest.approx(CHAIN.forward(Q), abs=2e-6)
    answer = asked(robot, mode=mode, avoid_collisions=True, pose=stamped(FAR))
    assert answer.code == Code.NO_IK_SOLUTION


def test_shapes_that_cannot_be_read_cannot_be_checked(robot, monkeypatch):
    def failing(*_, **__):
        raise ModelError('no mesh')
    monkeypatch.setattr(group_module, 'CollisionModel', failing)
    answer = asked(robot, avoid_collisions=True)
    assert answer.code == Code.COLLISION_CHECKING_UNAVAILABLE
    assert 'cannot be checked: no mesh' in answer.message


def test_arms_that_are_solved_for_together_do_not_touch_one_another(torso):
    chains = [torso.groups[name].chain for name in ('left', 'right')]
    bodies, rng = CollisionModel(TORSO.body()), np.random.default_rng(0)
    alone = CollisionModel(chains[0])

    def touching(*each):
        values = {name: value for chain, q in zip(chains, each)
                  for name, value in zip(chain.joint_names, q)}
        contacts = bodies.contacts([values.get(name, 0.0) for name in bodies.space.joint_names])
        return [one for one in contacts if one.first[:5] != one.second[:5]], len(contacts)
    while True:
        each = [rng.uniform(chain.lower, chain.upper) for chain in chains]
        between, count = touching(*each)
        if between and len(between) == count and alone.is_free(each[0]):
            break
    start = state({name: value for chain, q in zip(chains, each)
                   for name, value in zip(chain.joint_names, q)})
    fields = {'robot_state': start, 'avoid_collisions': True, 'pose_stamped_vector': [
        stamped(chain.forward(q)) for chain, q in zip(chains, each)]}
    answer = asked(torso, **fields)
    if answer.code == Code.SUCCESS:  # otherwise than at the start
        found = [[answer.joints[name] for name in chain.joint_names] for chain in chains]
        assert not touching(*found)[1]
    else:
        assert 'collision' in answer.message
    assert asked(torso, mode='ignore', **fields).code == Code.SUCCESS


def test_what_is_left_out_of_account_is_said(robot):
    answer = asked(robot, robot_state=state(
        {'wheel': 1.0}, multi_dof_joint_state=Message(joint_names=['virtual']),
        attached_collision_objects=[object()]))
    assert answer.code == Code.SUCCESS
    assert "does not have are ignored: 'wheel'" in answer.message
    assert 'multi_dof_joint_state is ignored' in answer.message
    assert 'attached objects are ignored' in answer.message


def test_the_tip_may_have_its_prefix(robot):
    assert asked(robot, prefix='a/', ik_link_name='a/tool0').code == Code.SUCCESS
    assert asked(robot, prefix='a/', ik_link_name='tool0').code == Code.SUCCESS
    refused = asked(robot, prefix='a/', ik_link_name='b/tool0')
    assert refused.code == Code.INVALID_LINK_NAME
    assert "one of 'a/tool0', not" in refused.message


def test_the_time_of_the_request_bounds_the_solver(robot):
    bounds = []

    def solver(group, timeout, collisions):
        bounds.append(timeout)
        return group.with_timeout(1e-9)

    below = CHAIN.forward(Q)
    below[:3, 3] = 0.0, 0.0, -0.3  # under the arm's foot: no solution, but not plainly so
    fields = {'pose': stamped(below), 'timeout': Duration(nanosec=5000000)}
    assert asked(robot, **{**fields, 'timeout': Duration()}).code == Code.NO_IK_SOLUTION
    assert asked(robot, solver, **fields).code == Code.TIMED_OUT
    assert bounds == [0.005]


@pytest.mark.parametrize(('solver', 'options'), [
    ('analytic', {'prefer': 'limits'}), ('least_squares', {'max_iterations': 7})])
def test_a_timeout_is_the_shorter_of_the_requests_and_the_groups(solver, options):
    group = built(**{'tip_link': 'left_palm', 'solver': solver, f'{solver}.timeout': 0.5, **{
        f'{solver}.{name}': value for name, value in options.items()}}).robot.groups['']
    for timeout, used in ((0.1, 0.1), (0.6, 0.5), (float('inf'), 0.5)):
        twin = group.with_timeout(timeout)
        assert (twin.solver.name, twin.solver.options.timeout) == (solver, used)
        for name, value in options.items():
            assert getattr(twin.solver.options, name) == value


def test_several_arms_are_solved_for_together(torso):
    left, right = torso.groups['left'].chain, torso.groups['right'].chain
    q = np.full(7, 0.3)
    goals = [stamped(right.forward(-q)), stamped(left.forward(q))]
    answer = asked(torso, pose_stamped_vector=goals, ik_link_names=['right_tool0', 'left_tool0'])
    assert answer.code == Code.SUCCESS, answer.message
    for chain, goal in ((left, q), (right, -q)):
        tip = chain.forward([answer.joints[name] for name in chain.joint_names])
        assert tip == pytest.approx(chain.forward(goal), abs=2e-6)
    in_order = asked(torso, pose_stamped_vector=goals[::-1])
    assert in_order.joints == answer.joints
    one = asked(torso, pose=goals[0], ik_link_name='right_tool0')  # which says the arm, too
    assert one.code == Code.SUCCESS
    assert [one.joints[name] for name in left.joint_names] == [0.0] * 7


@pytest.mark.parametrize(('fields', 'code', 'words'), [
    ({}, Code.INVALID_GROUP_NAME, "2 tips to solve for, 'left', 'right', and 1 poses"),
    ({'group_name': 'both'}, Code.INVALID_GROUP_NAME, "there is 'left', 'right', or leave"),
    ({'group_name': 'left', 'ik_link_name': 'right_tool0'}, Code.INVALID_LINK_NAME,
     "one of 'left_tool0', not 'right_tool0'"),
    ({'pose_stamped_vector': [stamped(np.eye(4))] * 2,
      'ik_link_names': ['left_tool0', 'left_tool0']}, Code.INVALID_LINK_NAME, 'twice'),
])
def test_which_arm_is_meant_must_be_plain(torso, fields, code, words):
    answer = asked(torso, **fields)
    assert (answer.code, dict(answer.joints)) == (code, {})
    assert words in answer.message


def test_arms_that_move_one_another_are_not_solved_for_together():
    inner = Arm(GroupSource(TREE, ArmOptions(tip_link='link_3'), name='inner'))
    outer = Arm(GroupSource(TREE, ArmOptions(base_link='link_3'), name='outer'))
    answer = asked(Robot(TREE, {'inner': inner, 'outer': outer}),
                   pose_stamped_vector=[stamped(np.eye(4))] * 2)
    assert answer.code == Code.INVALID_GROUP_NAME
    assert "joints of the one, 'joint_1', 'joint_2', 'joint_3', move the tip of the other" in (
        answer.message)
