"""Measures the node: from a goal to its joint states over DDS, beside a relay that does nothing.

The relay is a bare rclpy node: a PoseStamped comes in, a JointState of as many joints goes out.
Runs of the two take turns; the ratios are the medians over the pairs. Goals follow one another,
each as soon as the one before is solved, and lie along a path that the arm can follow.
"""

import argparse
import contextlib
import sys
import time

import numpy as np

from benchmark import arms
from benchmark.machine import machine
from benchmark.nodes import node_command, running, stay_here
from ik_node.motion.tip_path import ClosedPath
from ik_node.ros.conversions import matrix_to_pose

_PAIRS = 5
_WARM = 200      # goals before the clock runs
_CASES = (('panda', 'dls'), ('ur5', 'analytic'))
_HEAD = ('| arm | solver | relay µs | p99 | ik_node µs | p99 | median, ratio | p99, ratio |\n'
         '|---|---|---|---|---|---|---|---|')


def main() -> int:
    """Run the benchmark, or the relay."""
    parser = argparse.ArgumentParser(prog='python -m benchmark.latency', description=__doc__)
    parser.add_argument('--goals', type=int, default=2000)
    parser.add_argument('--pause', type=float, default=0.0, help='ms between answer and next goal')
    parser.add_argument('--relay', type=int, default=0, help='be the relay, of so many joints')
    arguments = parser.parse_args()
    if arguments.relay:
        return _relay(arguments.relay)
    stay_here()
    print(f'{arguments.goals} goals a run, {_PAIRS} pairs of runs; {machine()}\n\n{_HEAD}')
    for name, solver in _CASES:
        runs = np.array([[_run(command, name, arguments) for command in _commands(name, solver)]
                         for _ in range(_PAIRS)])  # (pairs, 2 nodes, 2 figures)
        relay, ours = np.median(runs, axis=0)
        ratio = np.median(runs[:, 1] / runs[:, 0], axis=0)
        print(f'| {name} | {solver} | {relay[0]:.0f} | {relay[1]:.0f} | {ours[0]:.0f} | '
              f'{ours[1]:.0f} | {ratio[0]:.2f} | {ratio[1]:.2f} |', flush=True)
    return 0


def _commands(name: str, solver: str) -> tuple[list[str], list[str]]:
    """Return how the relay and the node are started."""
    joints = arms.load(name).chain.n_joints
    return ([sys.executable, '-m', 'benchmark.latency', '--relay', str(joints)],
            node_command(name, solver))


def _run(command: list[str], name: str, arguments: argparse.Namespace) -> tuple[float, float]:
    """Return the median and the 99th percentile of the round trips to one node, µs."""
    import rclpy
    from geometry_msgs.msg import PoseStamped
    from rclpy.qos import QoSProfile
    from sensor_msgs.msg import JointState
    chain = arms.load(name).chain
    path = ClosedPath(chain)
    goals = [PoseStamped(pose=matrix_to_pose(path.pose(k / arguments.goals)))
             for k in range(arguments.goals)]
    heard: list[float] = []
    context = rclpy.Context()
    rclpy.init(context=context)
    node = rclpy.create_node('stopwatch', context=context)
    executor = rclpy.executors.SingleThreadedExecutor(context=context)
    executor.add_node(node)
    publisher = node.create_publisher(PoseStamped, 'goal_pose', QoSProfile(depth=1))
    node.create_subscription(JointState, 'joint_states',
                             lambda _: heard.append(time.perf_counter()), 10)

    def answered(goal: PoseStamped, timeout: float) -> float | None:
        heard.clear()
        sent = time.perf_counter()
        publisher.publish(goal)
        while not heard and time.perf_counter() - sent < timeout:
            executor.spin_once(timeout_sec=timeout)
        return heard[0] - sent if heard else None

    times = []
    with running(command):
        while publisher.get_subscription_count() == 0 or answered(goals[0], 0.5) is None:
            time.sleep(0.1)
        for goal in [*goals[:_WARM], *goals]:
            times.append(answered(goal, 5.0))
            time.sleep(1e-3 * arguments.pause)
    executor.shutdown()
    node.destroy_node()
    rclpy.shutdown(context=context)
    known = 1e6 * np.array([t for t in times[_WARM:] if t is not None])
    return float(np.median(known)), float(np.percentile(known, 99))


def _relay(joints: int) -> int:
    """Answer every pose with a joint state."""
    import rclpy
    from geometry_msgs.msg import PoseStamped
    from rclpy.qos import QoSProfile
    from rclpy.signals import SignalHandlerOptions
    from sensor_msgs.msg import JointState
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)  # SIGTERM ends it at once
    node = rclpy.create_node('relay')
    publisher = node.create_publisher(JointState, 'joint_states', 10)
    names, positions = [f'joint_{k}' for k in range(joints)], [0.1] * joints

    def answer(_: PoseStamped) -> None:
        state = JointState(name=names, position=positions)
        state.header.stamp = node.get_clock().now().to_msg()
        publisher.publish(state)

    node.create_subscription(PoseStamped, 'goal_pose', answer, QoSProfile(depth=1))
    with contextlib.suppress(KeyboardInterrupt):
        rclpy.spin(node)
    return 0


if __name__ == '__main__':
    sys.exit(main())
