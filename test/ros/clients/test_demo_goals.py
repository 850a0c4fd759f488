from itertools import pairwise

import pytest
from diagnostic_msgs.msg import DiagnosticStatus, KeyValue
from geometry_msgs.msg import PointStamped, PoseStamped
from visualization_msgs.msg import InteractiveMarkerFeedback

import robots
from harness.node_here import NodeHere
from harness.ros_harness import seconds
from ik_node import KinematicTree, make_solver
from ik_node.ros.clients.demo_goals import DemoGoals
from ik_node.ros.conversions import pose_to_matrix
from ik_node.ros.publishing import status

TEXT = (robots.OWN / 'arm_6r.urdf').read_text()
RATE = 25.0


def demo_goals(*arguments):
    return NodeHere(*arguments, '-p', f'rate:={RATE}', make=DemoGoals, start=None)


@pytest.mark.parametrize(('kind', 'topic'), [
    (DiagnosticStatus, 'ik_node/status'), (InteractiveMarkerFeedback, 'ik_node/feedback')])
def test_it_sends_reachable_goals_until_another_node_does(kind, topic):
    with demo_goals() as node:
        goals = node.listen(PoseStamped, 'goal_pose')
        node.send_description(TEXT)
        assert node.until(lambda: len(goals) >= 20)
        solver = make_solver('dls', KinematicTree.from_urdf(TEXT).chain())
        assert all(solver.solve(pose_to_matrix(goal.pose)).success for goal in goals)
        # A tool that waits for the first subscriber of goals finds the node, not this one.
        assert not any(node.node.count_subscribers(name)
                       for name in ('goal_pose', 'goal_point', 'goal_path'))
        count = len(goals)
        if kind is DiagnosticStatus:  # that of a goal of its own does not end it
            node.publish(kind, topic, status_of(goals[-1]))
            assert node.until(lambda: len(goals) > count)
        node.publish(kind, topic, kind())
        assert 'another node sends goals' in node.log()
        count = len(goals)
        node.spin(10.0)
        assert len(goals) == count


def test_it_waits_for_the_node_to_respond_but_not_for_ever():
    with demo_goals() as node:
        goals = node.listen(PoseStamped, 'goal_pose')
        node.node.create_publisher(DiagnosticStatus, 'ik_node/status', 10)  # there, but silent
        node.send_description(TEXT)
        assert node.until(lambda: len(goals) >= 4)
        sent = [seconds(goal.header.stamp) for goal in goals]
        assert all(0.5 <= later - before < 0.6 for before, later in pairwise(sent)), sent


def test_for_a_figure_it_leads_hands_and_gaze_round():
    with demo_goals('--params-file', robots.OWN.parent / 'config/humanoid.yaml') as node:
        goals = {topic: node.listen(PointStamped if 'point' in topic else PoseStamped, topic)
                 for topic in ('left/goal_pose', 'right/goal_pose', 'look/goal_point')}
        node.send_description((robots.OWN / 'humanoid.urdf').read_text())
        assert node.until(lambda: min(map(len, goals.values())) >= 20)
        first, last = (pose_to_matrix(goals['left/goal_pose'][k].pose) for k in (0, -1))
        assert not (first == last).all()


def status_of(goal):
    return DiagnosticStatus(values=[
        KeyValue(key='goal_stamp', value=status.seconds(goal.header.stamp))])
