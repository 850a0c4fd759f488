"""Joints that no goal moves count where they are measured: forward kinematics is the reference."""

import math

import numpy as np
import pytest
from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import PoseStamped
from sensor_msgs.msg import JointState
from std_msgs.msg import Header
from visualization_msgs.msg import Marker, MarkerArray

import robots
from harness.node_here import running
from ik_node.collision import Box, CollisionModel, Obstacle
from ik_node.ros.conversions import matrix_to_pose
from ik_node.spatial import inverse
from measured_robots import lift_robot, lift_tree, measured_values

TREE = lift_tree()
CHAIN = TREE.chain('mount', 'tool')
Q = np.array([0.4, 0.3, 0.5, 0.4, -1.2, 0.4])
OUTSIDE = {'lift': 0.33, 'pan': 0.6, 'tilt': -0.4, 'spin': 5.0, 'finger': 0.03}


@pytest.fixture(scope='module')
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp('robot') / 'lift.urdf'
    path.write_text(lift_robot())
    return path


@pytest.fixture(scope='module')
def shared(file):
    with running(urdf_path=file, base_link='mount', tip_link='tool', state_topic='measured',
                 publish_rate=50.0) as node:
        yield node


@pytest.fixture
def node(shared):
    """Return the node, at its start pose and with the joints outside the arm at zero."""
    assert shared.set(motion='jump', dls__avoid_collisions=False) == (True, '')
    tell(shared, dict.fromkeys(TREE.independent_joints, 0.0))
    assert shared.reset().success
    return shared


def tell(node, values, stamp=0.0, **fields):
    """Publish joint values as the driver of a robot does, by its clock, s."""
    stamp = Time(sec=int(stamp), nanosec=round(stamp % 1.0 * 1e9))
    node.publish(JointState, 'measured', JointState(
        header=Header(stamp=stamp), name=list(values),
        position=[float(value) for value in values.values()], **fields))


def in_frame(frame, T_base_tip, values, tree=TREE, base='mount'):
    """Return a pose of the tip (4, 4) in a frame, with all joints at values."""
    T = tree.forward(values)
    return inverse(T[frame]) @ T[base] @ T_base_tip


def reached(response, values, tree=TREE, chain=CHAIN):
    """Return T_root_tip (4, 4) of a response, with the joints outside the arm at values."""
    moved = {**values, **{name: response.joints[name] for name in chain.joint_names}}
    return tree.forward(moved)[chain.tip_link]


@pytest.mark.parametrize('frame', ['ground', 'camera', 'lidar', 'finger_link', 'other_finger_link',
                                   'link_3'])
def test_a_goal_in_the_frame_of_any_link_is_met_by_forward_kinematics(node, frame):
    rng = np.random.default_rng(3)
    for _ in range(5):
        values = measured_values(TREE, rng, CHAIN.joint_names)
        goal = in_frame(frame, CHAIN.forward(Q + rng.uniform(-0.2, 0.2, 6)), values)
        tell(node, values)
        response = node.client.send(goal, frame)
        assert response.met, response.message
        np.testing.assert_allclose(
            reached(response, values), TREE.forward(values)[frame] @ goal, atol=1e-5)


def test_published_joint_states_have_them_and_their_mimics(node):
    tell(node, OUTSIDE)
    published = node.values()
    assert published == {**TREE.joint_values(OUTSIDE), **dict.fromkeys(CHAIN.joint_names, 0.0)}
    assert published['other_finger'] == pytest.approx(2.0 * 0.03 + 0.01)
    assert node.reset().success
    assert node.set(speed=0.7) == (True, '')
    tell(node, {'pan': -0.2})  # the others are where they were
    assert node.values() == {**published, 'pan': -0.2}


def test_the_values_outside_the_limits_count_and_the_arm_is_inside_them(node):
    values = {'lift': 0.75, 'pan': -2.6, 'joint_0': 2.9}
    tell(node, values)
    published = node.values()
    assert (published['lift'], published['pan']) == (0.75, -2.6)
    for frame in ('camera', 'link_2'):
        goal = in_frame(frame, CHAIN.forward(Q), values)
        response = node.client.send(goal, frame)
        np.testing.assert_allclose(
            reached(response, values), TREE.forward(values)[frame] @ goal, atol=1e-5)
        assert abs(response.joints['joint_0']) <= 2.8
        tell(node, values)


@pytest.mark.parametrize('wrong', [math.nan, math.inf, 1e300])
def test_of_a_position_that_is_no_number_the_last_value_counts(node, wrong):
    tell(node, OUTSIDE)
    tell(node, {'pan': wrong, 'lift': 0.1})
    published = node.values()
    assert (published['pan'], published['lift']) == (OUTSIDE['pan'], 0.1)
    assert "the position of 'pan' is" in node.log()
    assert "not a finite number" in node.log()
    assert node.alive()


def test_messages_without_positions_are_no_measurement(node):
    tell(node, OUTSIDE)
    node.publish(JointState, 'measured', JointState(name=['pan'], velocity=[1.0]))
    assert node.values()['pan'] == OUTSIDE['pan']
    assert 'measured: joint states refused' not in node.log()


def test_a_joint_that_is_measured_no_more_stays_and_is_warned_of(file):
    with running(urdf_path=file, base_link='mount', tip_link='tool',
                 state_topic='measured') as node:
        arm = dict(zip(CHAIN.joint_names, Q))
        tell(node, {**arm, **OUTSIDE})
        node.spin(1.2)
        tell(node, {**arm, 'lift': 0.1})
        values = {**OUTSIDE, 'lift': 0.1}
        goal = in_frame('camera', CHAIN.forward(Q), values)
        np.testing.assert_allclose(reached(node.client.send(goal, 'camera'), values),
                                   TREE.forward(values)['camera'] @ goal, atol=1e-5)
        assert "measured has no values of 'pan', 'tilt', 'spin', 'finger' any more" in node.log()


def test_a_stamped_goal_is_where_its_frame_was_measured_then(node):
    told = {'pan': [], 'joint_1': [], 'lift': []}
    for k in range(6):  # with delays, and in two parts
        node.spin(0.05)
        for delay, values in ((0.03, {'pan': 0.2 * k, 'joint_1': 0.1 * k}),
                              (0.02, {'lift': 0.05 * k})):
            for name, value in values.items():
                told[name].append((node.now - delay, value))
            tell(node, values, node.now - delay)
    present = {name: heard[-1][1] for name, heard in told.items()}
    T_ground_goal = TREE.forward(present)['mount'] @ CHAIN.forward(Q)
    statuses = node.listen(DiagnosticStatus, 'ik_node/status')
    for passed, frame in ((0.02, 'camera'), (0.11, 'camera'), (0.18, 'lidar'), (0.07, 'link_3')):
        at = told['pan'][0][0] + passed
        values = {name: np.interp(at, *zip(*heard)) for name, heard in told.items()}
        goal = PoseStamped(pose=matrix_to_pose(inverse(TREE.forward(values)[frame])
                                               @ T_ground_goal))
        goal.header.frame_id = frame
        goal.header.stamp = Time(sec=int(at), nanosec=round(at % 1.0 * 1e9))
        del statuses[:]
        node.publish(PoseStamped, 'goal_pose', goal)
        assert node.until(lambda: statuses)
        assert statuses[-1].level == DiagnosticStatus.OK, statuses[-1].message
        state = node.joint_states()[0]
        tip = TREE.forward({**present, **{
            name: value for name, value in zip(state.name, state.position)
            if name in CHAIN.joint_names}})['tool']
        np.testing.assert_allclose(tip, T_ground_goal, atol=1e-5)


def test_another_arm_is_where_it_is_measured_even_after_a_goal_of_its_own(tmp_path):
    arms = ('left_', 'right_')
    tree, file = lift_tree(1, arms), tmp_path / 'two.urdf'
    file.write_text(lift_robot(1, arms))
    ends = {f'{arm}__{key}': f'{arm}_{end}' for arm in ('left', 'right') for key, end in (
        ('base_link', 'mount'), ('tip_link', 'tool'))}
    left, right = (tree.chain(f'{arm}mount', f'{arm}tool') for arm in arms)
    rng = np.random.default_rng(5)
    with running(urdf_path=file, arms='[left, right]', state_topic='measured', **ends) as node:
        tell(node, dict.fromkeys(tree.independent_joints, 0.0))
        assert node.client.send(left.forward(Q), task='left').met
        commanded = node.joint_states()[0]
        for _ in range(3):
            values = measured_values(tree, rng, (*left.joint_names, *right.joint_names))
            tell(node, values)
            goal = in_frame('left_finger_link', right.forward(Q), values, tree, 'right_mount')
            response = node.client.send(goal, 'left_finger_link', task='right')
            assert response.met
            np.testing.assert_allclose(
                reached(response, values, tree, right),
                tree.forward(values)['left_finger_link'] @ goal, atol=1e-5)
            # It stays where it was sent.
            for name, value in zip(commanded.name, commanded.position):
                assert name not in left.joint_names or response.joints[name] == value


def box(node, xyz, size=0.2, frame='ground'):
    """Publish a box in the frame of the root; wait until it counts."""
    made = Marker(type=Marker.CUBE, action=Marker.ADD, ns='box')
    made.header.frame_id = frame
    made.pose.position.x, made.pose.position.y, made.pose.position.z = map(float, xyz)
    made.pose.orientation.w = 1.0
    made.scale.x = made.scale.y = made.scale.z = size
    node.publish(MarkerArray, 'ik_node/obstacles', MarkerArray(markers=[made]))
    node.spin(0.1)


def no_box(node):
    node.publish(MarkerArray, 'ik_node/obstacles', MarkerArray(
        markers=[Marker(action=Marker.DELETEALL)]))
    node.spin(0.1)


def test_an_obstacle_is_met_where_the_lift_is_measured(node):
    assert node.set(dls__avoid_collisions=True) == (True, '')
    tell(node, {'lift': 0.5})
    T_ground_tip = TREE.forward({'lift': 0.5, **dict(zip(CHAIN.joint_names, Q))})['tool']
    box(node, T_ground_tip[:3, 3])
    try:
        assert node.client.send(CHAIN.forward(Q)).values['reason'] == 'COLLISION'
        tell(node, {'lift': 0.0})
        assert node.client.send(CHAIN.forward(Q)).met
    finally:
        no_box(node)


def test_a_motion_brakes_where_a_measured_joint_brings_the_arm_to_an_obstacle(node):
    pytest.importorskip('ruckig', reason='ruckig is not installed (make test brings it from PyPI)')
    assert node.set(motion='joint', speed=0.2, dls__avoid_collisions=True) == (True, '')
    T_ground_tip = TREE.forward({'lift': 0.5, **dict(zip(CHAIN.joint_names, Q))})['tool']
    box(node, T_ground_tip[:3, 3])
    try:
        response = node.client.send(CHAIN.forward(Q))
        assert response.met
        node.spin(0.3)
        tell(node, {'lift': 5e-4})  # noise
        node.spin(0.2)
        assert 'brakes' not in node.log()
        tell(node, {'lift': 0.5})
        node.spin(10.0)
        assert "brakes: the motion would lead too near to contact" in node.log()
        state = node.joint_states()[0]
        at = np.array([dict(zip(state.name, state.position))[name] for name in CHAIN.joint_names])
        assert np.abs(at - Q).max() > 0.05
        assert not any(state.velocity)
    finally:
        no_box(node)
        assert node.set(motion='jump', speed=1.0) == (True, '')


@pytest.mark.slow
@pytest.mark.parametrize('name', ['panda', 'pr2', 'baxter'])
def test_goals_of_real_robots_are_met_and_free_where_all_joints_are_measured(name):
    tree, (base, tip) = robots.tree(name), robots.REAL[name][2:]
    chain, rng = tree.chain(base, tip), np.random.default_rng(0)
    model, met = CollisionModel(chain), 0
    with running(urdf_path=robots.path(name), base_link=base, tip_link=tip, publish_rate=50.0,
                 state_topic='measured', dls__avoid_collisions=True) as node:
        for _ in range(robots.samples(50)):
            values = measured_values(tree, rng, chain.joint_names)
            tell(node, values)
            frame, link = rng.choice(tree.links), rng.choice(chain.links[2:])
            q = np.clip([values[joint] for joint in chain.joint_names] + rng.uniform(
                -0.5, 0.5, chain.n_joints), chain.lower, chain.upper)
            place = np.eye(4)
            place[:3, 3] = tree.forward({**values, **dict(zip(chain.joint_names, q))})[link][
                :3, 3] + rng.normal(scale=0.1, size=3)
            box(node, place[:3, 3], 0.15, tree.root)
            goal = in_frame(frame, chain.forward(q), values, tree, base)
            response = node.client.send(goal, frame)
            assert response.values['reason'] != 'REFUSED', response.message
            met += response.met
            if response.met:
                np.testing.assert_allclose(reached(response, values, tree, chain),
                                           tree.forward(values)[frame] @ goal, atol=1e-4)
                model.others = {joint: values[joint] for joint in model.others}
                model.obstacles = [Obstacle(Box((0.15,) * 3), inverse(
                    tree.forward(values)[base]) @ place)]
                assert model.is_free([response.joints[joint] for joint in chain.joint_names])
    assert met > 0


def test_commands_of_positions_follow_the_cycles_of_the_controller_that_publishes_the_states(file):
    with running(urdf_path=file, base_link='mount', tip_link='tool', state_topic='measured',
                 motion='joint', publish_rate=100.0, output='position_commands',
                 output_topic='/commands') as node:
        noted = []
        node.subject._session._execution.commands.phase.note = noted.append
        tell(node, OUTSIDE, node.now - 0.004)  # of another controller
        tell(node, dict.fromkeys(CHAIN.joint_names, 0.0))  # without a stamp
        tell(node, dict.fromkeys(CHAIN.joint_names, 0.0), node.now - 0.004)
        assert noted == [pytest.approx(0.004, abs=1e-3)]
