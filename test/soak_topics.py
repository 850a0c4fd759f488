"""Gives the topics of parameters random values, possible and impossible ones, one after another.

    python test/soak_topics.py --changes 500 --seed 0

Every change has a response, a refused one leaves all values, an accepted one sets them, the node
goes on to publish joint states on the topic that is named, and solves a goal now and then. The
longest response is printed, and the longest time between two joint states; on a machine that does
nothing else they are below 0.2 s and 0.1 s.
"""

import time

import numpy as np
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import PoseStamped
from sensor_msgs.msg import JointState

import robots
from harness.ros_harness import NodeUnderTest, seconds
from harness.ros_harness import given as as_arguments
from harness.soak_runner import run_soak
from ik_node import KinematicTree
from ik_node.ros.conversions import matrix_to_pose
from ik_node.ros.topics import own_topics

ARM = robots.OWN / 'arm_6r.urdf'
CHAIN = KinematicTree.from_urdf(ARM).chain()
PARAMETERS = ('joint_states_topic', 'state_topic', 'trajectory_topic')
NAMES = ['', '', 'joint_states', '/joint_states', 'a', '/a', '~/a', '{node}/a', 'b/c', 'd_1']
LETTERS = list('ab_1/~{} é.:-\n') + ['node', 'ns', 'x' * 90]


def random_topic(rng):
    """Return a topic that may be free, taken, or impossible."""
    kind = rng.random()
    if kind < 0.6:
        return str(rng.choice(NAMES))
    if kind < 0.8:
        return str(rng.choice(own_topics(['', 'task'])))
    return ''.join(rng.choice(LETTERS, size=rng.integers(1, 8)))


def soak(given):
    """Return the faults that were found."""
    rng, faults, slowest, gap = np.random.default_rng(given.seed), [], 0.0, 0.0
    counts = {True: 0, False: 0}
    with NodeUnderTest(*as_arguments(
            {'urdf_path': ARM, 'motion': 'joint', 'publish_rate': 50.0})) as node:
        node.ready()
        statuses = node.listen(DiagnosticStatus, 'ik_node/status', 100)
        goals = node.node.create_publisher(PoseStamped, 'goal_pose', 1)
        heard = {}
        present = dict(zip(PARAMETERS, node.get(*PARAMETERS)))
        for change in range(given.changes):
            chosen = rng.choice(PARAMETERS, size=rng.integers(1, 4), replace=False)
            values = {str(name): random_topic(rng) for name in chosen}
            began = time.monotonic()
            accepted, reason = node.set(**values)
            slowest = max(slowest, time.monotonic() - began)
            counts[accepted] += 1
            present.update(values if accepted else {})
            if dict(zip(PARAMETERS, node.get(*PARAMETERS))) != present:
                faults.append(f'{values}: the values are not {present}')
            if not accepted and not any(name in reason for name in PARAMETERS):
                faults.append(f'{values}: {reason}')
            topic = present['joint_states_topic']
            if change % 10 == 0 and topic:
                resolved = topic.replace('~', '/ik_node').replace('{node}', 'ik_node')
                if resolved not in heard:
                    heard[resolved] = node.listen(JointState, resolved, 1000)
                states = heard[resolved]
                states.clear()
                if not node.until(lambda states=states: len(states) > 25, 10.0):
                    faults.append(f'no joint states on {resolved}')
                stamps = [seconds(state.header.stamp) for state in states]
                gap = max([gap, *np.diff(stamps)])
            if change % 25 == 0:
                statuses.clear()
                goals.publish(PoseStamped(pose=matrix_to_pose(
                    CHAIN.forward(robots.random_q(CHAIN, rng, 0.6)))))
                if not node.until(lambda: statuses, 10.0):
                    faults.append('a goal has no status')
            if not node.alive() or 'internal error' in node.log():
                faults.append(f'{values}: {node.log()[-2000:]}')
                break
    print(f'{counts[True]} changes accepted, {counts[False]} refused; the slowest response took '
          f'{slowest:.3f} s, the longest gap of joint states {gap:.3f} s')
    return faults


if __name__ == '__main__':
    run_soak(soak, __doc__, changes=500)
