"""Starts the node, and sends it goals from its first moment on.

    python test/soak_start.py --seconds 120

For each robot and solver: the time from the start of the process to the first goal that is met,
then random goals at 20 Hz, one in ten out of reach. The solver is changed after a third and after
two thirds of the time, and `on_failure` after half of it.

Printed for each: the first goal met, the longest gap between two statuses, the longest parameter
call, how many reachable goals were met, and the memory of the node at the end.

With --plain the kernels run as plain Python, and `on_failure` stays hold: then the share of goals
that are answered counts.
"""

import contextlib
import os
import time

import numpy as np
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import PoseStamped
from rclpy.qos import QoSProfile

import robots
from harness.ros_harness import NodeUnderTest
from harness.soak_runner import run_soak
from ik_node import KinematicTree
from ik_node.ros.conversions import matrix_to_pose
from ik_node.ros.publishing.status import seconds
from soak_node import resident

SOLVERS = ('dls', 'analytic', 'auto')
PERIOD = 0.05  # s between goals
FIRST, GAP, CALL = 3.0, 0.3, 0.5  # s, the longest that is allowed
ANSWERED = 0.99  # of the goals, in plain Python


def arms():
    """Return {name: (file, base, tip)}; '' for the tree's own base and tip."""
    own = {name: (robots.OWN / f'{name}.urdf', '', '') for name in ('arm_6r', 'arm_7r')}
    return {**own, 'panda': (robots.path('panda'), *robots.REAL['panda'][2:])}


class Goals:
    """Sends a goal each period, and keeps what the node reports of it."""

    def __init__(self, node, chain, rng):
        self.chain, self.rng, self.reachable = chain, rng, {}
        self.arrivals, self.met, self.missed = [], [], []
        self.lower = np.where(np.isfinite(chain.lower), chain.lower, -np.pi)
        self.upper = np.where(np.isfinite(chain.upper), chain.upper, np.pi)
        self.reach = max(np.linalg.norm(self._pose()[:3, 3]) for _ in range(100))
        self.clock = node.node.get_clock()
        self.publisher = node.node.create_publisher(PoseStamped, 'goal_pose', QoSProfile(depth=1))
        node.node.create_subscription(DiagnosticStatus, 'ik_node/status', self._on_status, 100)
        node.node.create_timer(PERIOD, self._send)

    def _pose(self):
        return self.chain.forward(self.rng.uniform(self.lower, self.upper))

    def _send(self):
        if not self.publisher.get_subscription_count():
            return
        T = self._pose()
        far = self.rng.random() < 0.1
        if far:
            T[:3, 3] *= 3.0 * self.reach / max(np.linalg.norm(T[:3, 3]), 1e-3)
        goal = PoseStamped(pose=matrix_to_pose(T))
        goal.header.stamp = self.clock.now().to_msg()
        self.reachable[seconds(goal.header.stamp)] = not far
        self.publisher.publish(goal)

    def _on_status(self, status):
        now = time.monotonic()
        values = {pair.key: pair.value for pair in status.values}
        if values.get('goal_stamp') not in self.reachable:
            return
        self.arrivals.append(now)
        if self.reachable[values['goal_stamp']]:
            (self.met if status.level == DiagnosticStatus.OK else self.missed).append(
                (now, values['reason']))

    def longest_gap(self):
        """Return the longest time between two statuses, s."""
        return float(np.max(np.diff(self.arrivals), initial=0.0))


@contextlib.contextmanager
def environment(plain):
    """Let processes that are started now run the kernels as plain Python, where that is wanted."""
    os.environ['IK_NODE_PLAIN'] = '1' if plain else ''
    try:
        yield
    finally:
        del os.environ['IK_NODE_PLAIN']


def start(arm, solver, duration, seed, plain):
    """Run a node; return a row of figures."""
    file, base, tip = arm
    chain = KinematicTree.from_urdf(file).chain(base or None, tip or None)
    parameters = {'model_path': file, 'base_link': base, 'tip_link': tip, 'solver': solver}
    calls = []
    with environment(plain):
        begun = time.monotonic()
        with NodeUnderTest(*(part for name, value in parameters.items() if value
                             for part in ('-p', f'{name}:={value}'))) as node:
            goals = Goals(node, chain, np.random.default_rng(seed))
            assert node.until(lambda: goals.met, 30.0), node.log()
            first = goals.met[0][0] - begun
            missed = len(goals.missed)

            def change(**values):
                called = time.monotonic()
                assert node.set(**values) == (True, '')
                calls.append(time.monotonic() - called)
            others = [name for name in SOLVERS if name != solver]
            on_failure = {} if plain else {'on_failure': 'closest'}
            for wait, values in ((1 / 3, {'solver': others[0]}), (1 / 6, on_failure),
                                 (1 / 6, {'solver': others[1]}), (1 / 3, {})):
                node.spin(wait * duration)
                if values:
                    change(**values)
            memory, alive, log = resident(node.process.pid), node.alive(), node.log()
    if not alive:
        print(log)
    return {'first': first, 'missed before': missed, 'gap': goals.longest_gap(),
            'call': max(calls), 'met': len(goals.met), 'missed': len(goals.missed),
            'statuses': len(goals.arrivals), 'sent': len(goals.reachable), 'memory': memory,
            'reasons': sorted({reason for _, reason in goals.missed}), 'alive': alive}


def soak(given) -> int:
    """Return how many robots and solvers exceed a bound."""
    faults = 0
    for name, arm in arms().items():
        for solver in SOLVERS:
            if not f'{name}/{solver}'.startswith(given.only):
                continue
            row = start(arm, solver, given.seconds, given.seed, given.plain)
            in_time = (row['statuses'] >= ANSWERED * row['sent'] if given.plain else
                       row['first'] <= FIRST and row['gap'] <= GAP)
            faults += not (row['alive'] and in_time and row['call'] <= CALL)
            print(f'{name}/{solver}:', ', '.join(
                f'{key} {value:.3f}' if isinstance(value, float) else f'{key} {value}'
                for key, value in row.items()), flush=True)
    return faults


if __name__ == '__main__':
    run_soak(soak, __doc__, seconds=120.0, only='', plain=False)
