import threading
from types import SimpleNamespace

import pytest
from std_msgs.msg import String
from trajectory_msgs.msg import JointTrajectory

import robots
from harness.controller_rig import Rig
from harness.figure_values import built
from harness.goal_runs import WorkerHere
from harness.node_here import running
from harness.ros_harness import seconds
from ik_node.control.worker import Worker
from ik_node.motion.cartesian_motion import straight_motion
from ik_node.motion.trajectory import Rest
from ik_node.ros.execution.motion_clock import Instant
from ik_node.ros.execution.trajectory_topics import TrajectoryTopics

DESCRIPTION = (robots.OWN / 'arm_6r.urdf').read_text(encoding='utf-8')
TOPIC = '/controller/motion'


def test_a_motion_of_a_figure_is_published_for_its_joints_and_not_for_its_root():
    robot = built(tasks=('a',), a__type='position', a__link='gaze', root='floating', motion='joint',
                  trajectory_topic='/controller/joint_trajectory').robot
    figure, messages = robot.groups[''], []
    topics = TrajectoryTopics(None, SimpleNamespace(
        stamp=lambda: 2_500_000_000), WorkerHere(lambda: None))
    topics._period = 0.1
    topics._publishers = {'/controller/joint_trajectory': SimpleNamespace(publish=messages.append)}
    q = figure.start.copy()
    q[0], q[6] = 1.0, 0.25
    topics.hold(figure, q)
    (message,) = messages
    assert tuple(message.joint_names) == figure.body.joint_names[6:]
    assert message.points[0].positions.tolist() == q[6:].tolist()
    assert seconds(message.header.stamp) == 2.5


@pytest.mark.parametrize('late', [0.0, 0.4, 3.0])
def test_the_last_point_of_a_short_motion_is_still_to_come(late):
    arm, messages = Rig.arm('cartesian', trajectory_topic=TOPIC), []
    topics = TrajectoryTopics(None, SimpleNamespace(
        read=lambda: Instant(10.0 + late, round(1e9 * (70.0 + late)))), WorkerHere(lambda: None))
    topics._period, topics._publishers = 0.01, {TOPIC: SimpleNamespace(publish=messages.append)}
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
    topics = TrajectoryTopics(None, SimpleNamespace(
        read=lambda: Instant(10.0, 70_000_000_000), stamp=lambda: 70_000_000_000), worker)
    topics._period, topics._publishers = 0.01, {TOPIC: SimpleNamespace(publish=messages.append)}
    motion = straight_motion(arm.limits, Rest(arm.start), arm.start + 0.3)
    sample = motion.sample
    monkeypatch.setattr(motion, 'sample', lambda times: (
        began.set(), end.wait(30.0), sample(times))[2])
    topics.publish(arm, motion, 10.0)
    assert began.wait(30.0)
    topics.hold(arm, arm.start)
    end.set()
    monkeypatch.undo()
    assert [len(message.points) for message in messages] == [2]
    topics.publish(arm, motion, 10.0)
    while len(messages) < 2:
        assert woken.acquire(timeout=30.0)
        worker.resume()
    assert len(messages[1].points) > 20
    worker.close('the test is over')
