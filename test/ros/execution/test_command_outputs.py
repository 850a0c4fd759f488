import threading
from types import SimpleNamespace

import numpy as np
import pytest
from geometry_msgs.msg import PoseStamped
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray, String
from trajectory_msgs.msg import JointTrajectory

import robots
from harness.bent_arm import ARM, CHAIN, START
from harness.controller_rig import Rig
from harness.figure_values import built
from harness.goal_runs import WorkerHere
from harness.node_here import running
from harness.rate_here import RateHere
from harness.ros_harness import seconds
from ik_node.control.worker import Worker
from ik_node.motion.cartesian_motion import straight_motion
from ik_node.motion.limits import motion_limits
from ik_node.motion.trajectory import Rest
from ik_node.ros.conversions import matrix_to_pose
from ik_node.ros.execution.command_outputs import CommandOutputs
from ik_node.ros.execution.motion_clock import Instant

DESCRIPTION = (robots.OWN / 'arm_6r.urdf').read_text(encoding='utf-8')
TOPIC = '/controller/motion'


def test_a_motion_of_a_figure_is_published_for_its_joints_and_not_for_its_root():
    robot = built(tasks=('a',), a__type='position', a__link='gaze', root='floating', motion='joint',
                  trajectory_topic='/controller/joint_trajectory').robot
    figure, messages = robot.groups[''], []
    topics = CommandOutputs(None, SimpleNamespace(
        read=lambda: Instant(0.0, 2_500_000_000)), WorkerHere(lambda: None))
    topics._period = 0.1
    topics._publishers = {figure.output: SimpleNamespace(publish=messages.append)}
    q = figure.start.copy()
    q[0], q[6] = 1.0, 0.25
    topics.publish(figure, Rest(q), 0.0)
    (message,) = messages
    assert tuple(message.joint_names) == figure.body.joint_names[6:]
    assert message.points[0].positions.tolist() == q[6:].tolist()
    assert seconds(message.header.stamp) == 2.5


@pytest.mark.parametrize('late', [0.0, 0.4, 3.0])
def test_the_last_point_of_a_short_motion_is_still_to_come(late):
    arm, messages = Rig.arm('cartesian', trajectory_topic=TOPIC), []
    topics = CommandOutputs(None, SimpleNamespace(
        read=lambda: Instant(10.0 + late, round(1e9 * (70.0 + late)))), WorkerHere(lambda: None))
    topics._period = 0.01
    topics._publishers = {arm.output: SimpleNamespace(publish=messages.append)}
    present = Rest(arm.start)
    for motion in (present, straight_motion(arm.limits, present, arm.start + 0.001)):
        topics.publish(arm, motion, 10.0)
        message = messages.pop()
        assert seconds(message.header.stamp) == 70.0  # when it began
        last = message.points[-1]
        assert seconds(last.time_from_start) > late
        assert last.positions.tolist() == motion.end.tolist()
        assert not any(last.velocities)
        assert not any(last.accelerations)


def by_topic(node):
    node.publish(String, 'robot_description', String(data=DESCRIPTION))


def by_parameter(node):
    assert node.set(robot_description=DESCRIPTION) == (True, '')


@pytest.mark.parametrize(('given', 'give'), [
    ({'trajectory_topic': TOPIC}, by_topic), ({'trajectory_topic': TOPIC}, by_parameter),
    ({'robot_description': DESCRIPTION}, lambda node: node.set(trajectory_topic=TOPIC))])
def test_a_controller_hears_motions_whatever_comes_last_to_an_active_node(given, give):
    with running(motion='joint', **given) as node:
        motions = node.listen(JointTrajectory, TOPIC)
        give(node)
        assert node.reset().success
        assert node.until(lambda: motions), node.log()


@pytest.mark.parametrize('motion', ['jump', 'joint'])
def test_a_controller_hears_nothing_of_an_inactive_node(motion):
    with running(motion=motion, robot_description=DESCRIPTION, autostart=False,
                 ready=False) as node:
        motions = node.listen(JointTrajectory, TOPIC)
        assert node.transition('configure')
        assert node.set(trajectory_topic=TOPIC) == (True, '')
        assert node.reset().success is (motion == 'jump')
        node.spin(0.5)
        assert motions == []


def test_a_motion_is_published_by_the_worker_and_only_the_latest(monkeypatch):
    arm, messages, woken = Rig.arm('cartesian', trajectory_topic=TOPIC), [], threading.Semaphore(0)
    worker, began, end = Worker(woken.release), threading.Event(), threading.Event()
    topics = CommandOutputs(None, SimpleNamespace(
        read=lambda: Instant(10.0, 70_000_000_000), stamp=lambda: 70_000_000_000), worker)
    topics._period = 0.01
    topics._publishers = {arm.output: SimpleNamespace(publish=messages.append)}
    motion = straight_motion(arm.limits, Rest(arm.start), arm.start + 0.3)
    sample = motion.sample
    monkeypatch.setattr(motion, 'sample', lambda times: (
        began.set(), end.wait(30.0), sample(times))[2])
    topics.publish(arm, motion, 10.0)
    assert began.wait(30.0)
    topics.publish(arm, Rest(arm.start), 10.0)
    end.set()
    monkeypatch.undo()
    for count in (1, 2):
        while len(messages) < count:
            assert woken.acquire(timeout=30.0)
            worker.resume()
        topics.publish(arm, motion, 10.0)
    assert len(messages[0].points) == 2
    assert len(messages[1].points) > 20
    worker.close('the test is over')


def test_a_stop_has_been_published_when_all_goals_of_the_node_are_cancelled():
    arm, messages, worker = Rig.arm('cartesian', trajectory_topic=TOPIC), [], Worker(lambda: None)
    topics = CommandOutputs(None, SimpleNamespace(
        read=lambda: Instant(10.0, 70_000_000_000)), worker)
    topics._publishers = {arm.output: SimpleNamespace(publish=messages.append)}
    motion = straight_motion(arm.limits, Rest(arm.start), arm.start + 0.3)
    topics.publish(arm, motion, 10.0)
    topics.publish(arm, Rest(arm.start), 10.0, at_once=True)
    worker.cancel_all('the node has been deactivated')
    assert [len(message.points) for message in messages] == [2]
    worker.close('the test is over')


COMMANDS = '/position_controller/commands'


def commanded(**parameters):
    return running(**{'urdf_path': ARM, 'publish_rate': 100.0, 'start_pose': START,
                      'motion': 'cartesian', 'output': 'position_commands',
                      'output_topic': COMMANDS, **parameters})


def begin(node, shift=0.1):
    """Send a goal aside, and wait until the arm is on its way."""
    states = node.listen(JointState, 'joint_states')
    T = CHAIN.forward(START)
    T[1, 3] += shift
    node.publish(PoseStamped, 'goal_pose', PoseStamped(pose=matrix_to_pose(T)))
    assert node.until(lambda: states and any(states[-1].velocity))
    return states


def test_positions_of_a_motion_are_commanded_at_the_rate_until_the_arm_rests():
    with commanded() as node:
        commands = node.listen(Float64MultiArray, COMMANDS)
        node.spin(0.2)
        assert commands == []  # nothing moves a robot before the first goal
        states = begin(node)
        assert node.until(lambda: not any(states[-1].velocity))
        node.spin(0.2)
        count = len(commands)
        node.spin(0.2)
        assert len(commands) == count
        q = np.array([command.data for command in commands])
        assert q[0] == pytest.approx(START, abs=1e-3)
        assert q[-1].tolist() == states[-1].position.tolist()
        assert count == pytest.approx(len(states) - 20, abs=45)
        assert np.abs(np.diff(q, axis=0)).max() < 0.03


def test_the_thread_that_commands_positions_has_the_priority_of_the_parameter():
    with commanded(thread_priority=7) as node:
        begin(node)
        assert RateHere.settings[-1][0] == 7


@pytest.mark.parametrize('end', ['disabled', 'deactivated', 'destroyed'])
def test_an_arm_whose_positions_are_commanded_brakes_within_its_limits(end):
    limits = motion_limits(CHAIN)
    with commanded() as node:
        commands = node.listen(Float64MultiArray, COMMANDS)
        begin(node, 0.3)
        node.spin(0.15)
        if end == 'disabled':
            node.enable(False)
        elif end == 'deactivated':
            assert node.transition('deactivate')
        else:
            assert node.transition('deactivate')
            assert node.transition('cleanup')
        node.spin(1.0)
        q = np.array([command.data for command in commands])
        v = np.diff(q, axis=0) * 100.0
        assert np.abs(v).max() > 0.05
        assert np.abs(v[-1]).max() < 1e-3
        steps = np.abs(np.diff(v, axis=0)) * 100.0
        late = 10 if end == 'destroyed' else 1  # the samples of the end begin when it is called
        assert (steps <= limits.acceleration * 1.5 * late).all()


@pytest.mark.parametrize(('values', 'reason'), [
    ({'output': 'trajectory'}, "output must be 'none' without output_topic"),
    ({'output': 'trajectory', 'output_topic': '/a', 'trajectory_topic': '/b'},
     'trajectory_topic must be empty with output and output_topic'),
    ({'output': 'torques', 'output_topic': '/a'}, 'output must be one of'),
    ({'command_joints': ['joint_1']}, 'those of the arm'),
    ({'command_joints': ['joint_1'] * 6}, 'must have different joints'),
    ({'command_joints': [*CHAIN.joint_names, 'thumb']}, 'joints that move by themselves')])
def test_what_does_not_fit_is_refused_with_the_reason(values, reason):
    with running(urdf_path=ARM) as node:
        done, message = node.set(**values)
        assert not done
        assert reason in message
        assert node.get('output', 'output_topic') == ['none', '']


def test_the_old_name_of_the_topic_still_works_and_says_what_takes_its_place():
    with running(urdf_path=ARM, trajectory_topic=TOPIC) as node:
        assert 'trajectory_topic is deprecated: set output to trajectory' in node.log()
        assert node.subject._configuration.robot.groups[''].output == ('trajectory', TOPIC)


def test_an_output_topic_that_cannot_be_one_is_replaced_by_no_output():
    with running(urdf_path=ARM, output='trajectory', output_topic='no topic!') as node:
        assert 'output_topic is not a valid topic name' in node.log()
        assert node.get('output', 'output_topic') == ['none', '']
