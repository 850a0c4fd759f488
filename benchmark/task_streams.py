"""Streams the targets of two tasks of Talos to the node, beside a relay that does nothing.

The relay is a bare rclpy node: a PoseStamped comes in, a JointState of as many joints goes out,
with its stamp. For the node a goal is served when the joint states that its status names have come.
Of goals that come too fast only the newest counts: those that are skipped have no time of their
own.
"""

import argparse
import contextlib
import gc
import math
import struct
import sys
import time
from typing import Any

import numpy as np

from benchmark.arms import folder
from benchmark.bodies import ROBOTS
from benchmark.machine import machine
from benchmark.nodes import running, stay_here
from ik_node import KinematicTree
from ik_node.ros.conversions import matrix_to_pose

_TASKS = {'left': 'gripper_left_base_link', 'right': 'gripper_right_base_link',
          'left_foot': 'left_sole_link', 'right_foot': 'right_sole_link'}
_MOVED = ('left', 'right')
_CIRCLE = 0.05   # m, its radius
_PERIOD = 4.0    # s, of a round
_WARM = 2.0      # s that are not counted
_STAMP, _AT = struct.Struct('<iI'), 4  # of a serialised message with a header: behind 4 bytes
_HEAD = ('| node | rate Hz | goals | served | median µs | p99 µs | p99.9 µs |\n'
         '|---|---|---|---|---|---|---|')


def main() -> int:
    """Run the benchmark, or the relay."""
    parser = argparse.ArgumentParser(prog='python -m benchmark.task_streams', description=__doc__)
    parser.add_argument('--seconds', type=float, default=60.0)
    parser.add_argument('--rate', type=float, default=1000.0, help='Hz, of each task')
    parser.add_argument('--relay', type=int, default=0, help='be the relay, of so many joints')
    arguments = parser.parse_args()
    if arguments.relay:
        return _relay(arguments.relay)
    stay_here()
    file = folder('erd') / ROBOTS['talos'].file
    tree = KinematicTree.from_urdf(file)
    body = tree.body(root='floating')
    frames = body.forward(body.neutral())
    print(f'{machine()}\n\n{_HEAD}')
    p99 = []
    for name, command in (('relay', _relay_command(len(tree.joints))),
                          ('ik_node', _node_command(str(file)))):
        times, count = _stream(command, frames, arguments, is_relay=name == 'relay')
        at = np.percentile(times, [50.0, 99.0, 99.9])
        p99.append(at[1])
        print(f'| {name} | {arguments.rate:.0f} | {count} | {len(times)} | '
              + ' | '.join(f'{value:.0f}' for value in at) + ' |', flush=True)
    print(f'\np99 of ik_node over that of the relay: {p99[1] / p99[0]:.2f}')
    return 0


def _relay_command(joints: int) -> list[str]:
    return [sys.executable, '-m', 'benchmark.task_streams', '--relay', str(joints)]


def _node_command(file: str) -> list[str]:
    parameters = {'model_path': file, 'solver': 'least_squares', 'root': 'floating',
                  'publish_rate': 0.0, 'tasks': f'[{", ".join(_TASKS)}]',
                  **{f'{task}.type': 'pose' for task in _TASKS},
                  **{f'{task}.link': link for task, link in _TASKS.items()}}
    return [sys.executable, '-m', 'ik_node.ros.node', '--ros-args', '--log-level', 'warn', *(
        part for name, value in parameters.items() for part in ('-p', f'{name}:={value}'))]


def _stream(command: list[str], frames: dict[str, np.ndarray], arguments: argparse.Namespace,
            is_relay: bool) -> tuple[np.ndarray, int]:
    """Return the times of the goals that were served, µs, and how many goals were sent."""
    import rclpy
    from diagnostic_msgs.msg import DiagnosticStatus
    from geometry_msgs.msg import PoseStamped
    from rclpy.qos import QoSProfile
    from rclpy.serialization import deserialize_message
    from sensor_msgs.msg import JointState

    from ik_node.ros.run import NodeExecutor
    context = rclpy.Context()
    rclpy.init(context=context)
    node = rclpy.create_node('stopwatch', context=context)
    executor = NodeExecutor(context=context)
    executor.add_node(node)
    publishers = [node.create_publisher(PoseStamped, f'{task}/goal_pose', QoSProfile(depth=1))
                  for task in _MOVED]
    came: dict[tuple[int, int], float] = {}
    statuses: list[Any] = []
    # Raw: to make messages of the answers would load the machine as much as the node does.
    node.create_subscription(JointState, 'joint_states', lambda state: came.setdefault(
        _STAMP.unpack_from(state, _AT), time.perf_counter()), 100, raw=True)
    if not is_relay:
        node.create_subscription(DiagnosticStatus, 'ik_node/status', statuses.append, 100,
                                 raw=True)
    count = int((arguments.seconds + _WARM) * arguments.rate)
    goals = [[PoseStamped(pose=matrix_to_pose(_goal(frames[_TASKS[task]], k / arguments.rate)))
              for task in _MOVED] for k in range(int(_PERIOD * arguments.rate))]
    sent: dict[tuple[int, int], float] = {}
    gc.collect()
    gc.disable()  # a collection among this many messages takes tens of milliseconds
    with running(command):
        while min(publisher.get_subscription_count() for publisher in publishers) == 0 or not (
                came and (is_relay or statuses)):
            publishers[0].publish(goals[0][0])
            executor.spin_once(0.1)
        until = time.perf_counter() + 5.0  # the kernels are loaded meanwhile
        while time.perf_counter() < until:
            publishers[0].publish(goals[0][0])
            executor.spin_once(0.05)
        start = time.perf_counter()
        for k in range(count):
            while (left := start + k / arguments.rate - time.perf_counter()) > 0.0:
                executor.spin_once(left)
            for number, publisher in enumerate(publishers):
                goal = goals[k % len(goals)][number]
                goal.header.stamp.sec, goal.header.stamp.nanosec = 1 + k, 1 + number
                sent[1 + k, 1 + number] = time.perf_counter()
                publisher.publish(goal)
        until = time.perf_counter() + 1.0
        while (left := until - time.perf_counter()) > 0.0:
            executor.spin_once(left)
    executor.shutdown()
    node.destroy_node()
    context.try_shutdown()
    served = came if is_relay else _served(
        [deserialize_message(status, DiagnosticStatus) for status in statuses], came)
    warm = start + _WARM
    times = [1e6 * (served[stamp] - at) for stamp, at in sent.items()
             if at > warm and stamp in served]
    return np.array(times), sum(at > warm for at in sent.values())


def _served(statuses: list[Any], came: dict[tuple[int, int], float]) -> dict[
        tuple[int, int], float]:
    """Return when the joint states of each goal came, by the goal's stamp."""
    served = {}
    for status in statuses:
        values = {pair.key: pair.value for pair in status.values}
        stamps = [tuple(map(int, values[key].split('.'))) for key in ('goal_stamp', 'joint_stamp')]
        if stamps[1] in came:
            served[stamps[0]] = came[stamps[1]]
    return served  # type: ignore[return-value]


def _goal(start: np.ndarray, t: float) -> np.ndarray:
    """Return a pose (4, 4) on a circle in the plane y z, in front of where the hand is, m."""
    T = start.copy()
    angle = 2.0 * math.pi * t / _PERIOD
    T[:3, 3] += [0.05, _CIRCLE * math.sin(angle), _CIRCLE * (1.0 - math.cos(angle))]
    return T


def _relay(joints: int) -> int:
    """Answer every pose with a joint state of its stamp."""
    import rclpy
    from geometry_msgs.msg import PoseStamped
    from rclpy.qos import QoSProfile
    from rclpy.signals import SignalHandlerOptions
    from sensor_msgs.msg import JointState
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)  # SIGTERM ends it at once
    node = rclpy.create_node('relay')
    publisher = node.create_publisher(JointState, 'joint_states', 10)
    names, positions = [f'joint_{k}' for k in range(joints)], [0.1] * joints

    def answer(goal: PoseStamped) -> None:
        state = JointState(name=names, position=positions)
        state.header.stamp = goal.header.stamp
        publisher.publish(state)

    for task in _MOVED:
        node.create_subscription(PoseStamped, f'{task}/goal_pose', answer, QoSProfile(depth=1))
    with contextlib.suppress(KeyboardInterrupt):
        rclpy.spin(node)
    return 0


if __name__ == '__main__':
    sys.exit(main())
