"""Servo in the node: arms that share joints, and the tasks of a body."""

import numpy as np
import pytest
from geometry_msgs.msg import PoseStamped, TwistStamped
from sensor_msgs.msg import JointState

import robots
from harness.node_here import running
from harness.servo_rig import (
    ARM,
    CHAIN,
    RATE,
    START,
    goal,
    jog,
    last,
    tip_twist,
    twist,
)
from ik_node import KinematicTree
from ik_node.ros.conversions import matrix_to_pose, pose_to_matrix


def hands(**parameters):
    """Run servo of two arms that share the joints of a torso."""
    return running(**{
        'urdf_path': TORSO, 'arms': ['left', 'right'], 'motion': 'servo', 'publish_rate': RATE,
        'command_in_type': 'speed_units', 'left__tip_link': 'left_tool0',
        'right__tip_link': 'right_tool0', 'left__start_pose': BENT, 'right__start_pose': BENT,
        **parameters})


TORSO = robots.OWN / 'torso.urdf'
BENT = [0.1, 0.1, 0.4, 0.6, 0.2, 0.8, 0.3, 0.4, 0.2]
SHARED = KinematicTree.from_urdf(TORSO).body(
    joints=['lift_joint', 'waist_joint', *(f'{side}_joint_{k}' for side in ('left', 'right')
                                           for k in range(1, 8))])


def tips(state):
    """Return the poses of both tips at a joint state."""
    values = dict(zip(state.name, state.position))
    frames = SHARED.forward([values[name] for name in SHARED.joint_names])
    return frames['left_tool0'], frames['right_tool0']


def test_an_arm_that_shares_joints_follows_its_commands_while_the_other_is_held():
    with hands() as node:
        states = node.listen(JointState, 'joint_states')
        for count in (10, 20):
            for _ in range(count):
                node.publish(TwistStamped, 'ik_node/left/delta_twist_cmds',
                             twist(node, [0, 0, -0.05, 0, 0, 0]))
                node.spin(0.02)
            if count == 10:
                before = tips(states[-1])
        (left, right), (left_now, right_now) = before, tips(states[-1])
        assert left_now[:3, 3] - left[:3, 3] == pytest.approx([0, 0, -0.02], abs=5e-4)
        assert right_now == pytest.approx(right, abs=2e-4)
        heard = node.listen(PoseStamped, 'ik_node/right/tip_pose')
        assert node.until(lambda: not any(states[-1].velocity))  # without newer commands
        node.spin(0.05)
        assert pose_to_matrix(heard[-1].pose) == pytest.approx(tips(states[-1])[1], abs=1e-9)
        assert heard[-1].header.frame_id == SHARED.tree.root
        assert node.set(motion='jump') == (True, '')
        held = tips(states[-1])[1]
        target = tips(states[-1])[0]
        target[0, 3] -= 0.02
        node.publish(PoseStamped, 'left/goal_pose', PoseStamped(pose=matrix_to_pose(target)))
        assert node.until(lambda: np.allclose(tips(states[-1])[0], target, atol=1e-3)), node.log()
        assert tips(states[-1])[1] == pytest.approx(held, abs=0.01)  # the tolerances of goals


def test_commands_of_both_arms_are_followed_together_and_cease_one_by_one():
    with hands() as node:
        states = node.listen(JointState, 'joint_states')
        for k in range(40):
            for side in ('left', 'right') if k < 20 else ('left',):
                node.publish(TwistStamped, f'ik_node/{side}/delta_twist_cmds',
                             twist(node, [0, 0, -0.03, 0, 0, 0]))
            node.spin(0.02)
            if k in (15, 19, 35):
                (_, right), right_before = tips(states[-1]), tips(states[-5])[1]
                speed = (right[2, 3] - right_before[2, 3]) * RATE / 4
                assert speed == pytest.approx(-0.03 if k < 20 else 0.0, abs=2e-3)


def test_tasks_of_a_body_follow_twists_poses_and_joint_velocities(control_msgs):
    with running(urdf_path=ARM, solver='least_squares', tasks=['hand'], hand__type='pose',
                 hand__link='tool0', start_pose=START, motion='servo', publish_rate=RATE,
                 command_in_type='speed_units') as node:
        states = node.listen(JointState, 'joint_states')
        heard = node.listen(PoseStamped, 'ik_node/hand/tip_pose')
        for _ in range(25):
            node.publish(TwistStamped, 'ik_node/hand/delta_twist_cmds',
                         twist(node, [0.05, 0, 0, 0, 0, 0]))
            node.spin(0.02)
        assert tip_twist(states) == pytest.approx([0.05, 0, 0, 0, 0, 0], abs=1e-3)
        assert node.set(command_type='pose') == (True, '')
        goal_q = np.array(START) + 0.1
        for _ in range(150):
            node.publish(PoseStamped, 'ik_node/hand/pose_target_cmds', goal(goal_q))
            node.spin(0.02)
        assert CHAIN.forward(last(states)[0]) == pytest.approx(CHAIN.forward(goal_q), abs=1e-4)
        assert pose_to_matrix(heard[-1].pose) == pytest.approx(CHAIN.forward(goal_q), abs=1e-4)
        assert node.set(command_type='joint') == (True, '')
        for _ in range(25):
            jog(node, {'joint_1': 0.2})
            node.spin(0.02)
        assert last(states)[1].tolist() == pytest.approx([0.2, 0, 0, 0, 0, 0], abs=1e-6)


def test_servo_is_refused_for_a_root_that_moves():
    with running(urdf_path=ARM, solver='least_squares', root='floating', tasks=['hand'],
                 hand__type='pose', hand__link='tool0') as node:
        done, reason = node.set(motion='servo')
        assert not done
        assert "motion must not be 'servo' with root 'floating'" in reason
        assert node.get('motion') == 'jump'
