"""Sends the node goals by the thousand a second: which it answers, how soon, and at what cost.

First a stream of 1 kHz, then bursts of 10 kHz. Every goal lies elsewhere on a way that the arm can
go, so that the joint states tell which of them they answer. A goal is served when an answer to it,
or to a later one, is there: of goals that come too fast only the newest counts.
"""

import argparse
import os
import sys
import time
from pathlib import Path
from subprocess import Popen

import numpy as np

from benchmark import arms
from benchmark.machine import machine
from benchmark.nodes import node_command, running, stay_here
from ik_node.motion.tip_path import ClosedPath
from ik_node.ros.conversions import matrix_to_pose

_CASES = (('panda', 'dls'), ('ur5', 'analytic'))
_ROUND = 2000          # goals on one round of the path
_BURST = 2000          # goals, at 10 kHz
_BURSTS = 10
_SAME = 1e-4           # m and parts of a turn: closer to a goal than its neighbours are
_TICK = os.sysconf('SC_CLK_TCK')
_PAGE = os.sysconf('SC_PAGE_SIZE')
_HEAD = ('| arm | solver | goals | answers | out of order | within 5 ms | p99.9 ms | node’s CPU | '
         'memory MB | last of a burst answered | after ms | CPU 100 ms after |\n'
         '|---|---|---|---|---|---|---|---|---|---|---|---|')


class Stopwatch:
    """Sends goals and notes when which joint states come."""

    def __init__(self, name: str) -> None:
        """Prepare one round of goals."""
        import rclpy
        from geometry_msgs.msg import PoseStamped
        from rclpy.qos import QoSProfile
        from sensor_msgs.msg import JointState

        from ik_node.ros.run import NodeExecutor
        self.chain = arms.load(name).chain
        path = ClosedPath(self.chain)
        self.poses = np.array([path.pose(k / _ROUND) for k in range(_ROUND)])
        self._goals = [PoseStamped(pose=matrix_to_pose(pose)) for pose in self.poses]
        self._context = rclpy.Context()
        rclpy.init(context=self._context)
        self._node = rclpy.create_node('stopwatch', context=self._context)
        self._executor = NodeExecutor(context=self._context)
        self._executor.add_node(self._node)
        self._publisher = self._node.create_publisher(PoseStamped, 'goal_pose',
                                                      QoSProfile(depth=1))
        self._heard: list[tuple[float, JointState]] = []
        self._node.create_subscription(
            JointState, 'joint_states',
            lambda state: self._heard.append((time.perf_counter(), state)), 10)

    def close(self) -> None:
        """Leave the graph."""
        self._executor.shutdown()
        self._node.destroy_node()
        self._context.try_shutdown()

    def wait_for_node(self) -> None:
        """Send goals until one is answered."""
        self._heard.clear()
        while not self._heard:
            self._publisher.publish(self._goals[0])
            self._listen(time.perf_counter() + 0.1)

    def stream(self, n: int, rate: float,
               rest: float = 0.5) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Send n goals at a rate, Hz; return when each was sent (n,), and the answers.

        rest: for how long to listen on after the last, s. Answers: when they came (m,), s, and
        which goal each is for (m,), -1 for none.
        """
        self._heard.clear()
        sent = np.empty(n)
        start = time.perf_counter()
        for k in range(n):
            self._listen(start + k / rate)
            sent[k] = time.perf_counter()
            self._publisher.publish(self._goals[k % _ROUND])
        self._listen(time.perf_counter() + rest)
        came = np.array([t for t, _ in self._heard])
        return sent, came, self._goals_of(came, sent)

    def _listen(self, until: float) -> None:
        while (left := until - time.perf_counter()) > 0.0:
            self._executor.spin_once(left)

    def _goals_of(self, came: np.ndarray, sent: np.ndarray) -> np.ndarray:
        """Return which goal each answer is for (m,): the last one sent there before it came."""
        found = np.empty(len(came), dtype=int)
        for i, (_, state) in enumerate(self._heard):
            values = dict(zip(state.name, state.position))
            T = self.chain.forward([values[name] for name in self.chain.joint_names])
            off = np.abs(self.poses - T).max(axis=(1, 2))
            place = int(np.argmin(off))
            last = int(np.searchsorted(sent, came[i])) - 1
            found[i] = last - (last - place) % _ROUND if off[place] < _SAME else -1
        return found


class Usage:
    """What a process takes of the machine."""

    def __init__(self, process: Popen[str]) -> None:
        """Begin to look at it."""
        self._folder = Path('/proc') / str(process.pid)
        self._cpu, self._since = self._cpu_time(), time.perf_counter()

    def _cpu_time(self) -> float:
        fields = (self._folder / 'stat').read_text().rsplit(')', 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / _TICK

    @property
    def memory(self) -> float:
        """Resident memory, MB."""
        return int((self._folder / 'statm').read_text().split()[1]) * _PAGE / 1e6

    def cpu(self) -> float:
        """Return the share of one core that it has taken since this object was made."""
        return (self._cpu_time() - self._cpu) / (time.perf_counter() - self._since)


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(prog='python -m benchmark.streams', description=__doc__)
    parser.add_argument('--seconds', type=float, default=60.0, help='of the stream of 1 kHz')
    arguments = parser.parse_args()
    stay_here()
    print(f'{machine()}\n\n{_HEAD}')
    for name, solver in _CASES:
        stopwatch = Stopwatch(name)
        with running(node_command(name, solver)) as process:
            stopwatch.wait_for_node()
            stopwatch.stream(5000, 1e3)
            figures = [*_stream(stopwatch, process, arguments.seconds),
                       *_bursts(stopwatch, process)]
        stopwatch.close()
        print('|', ' | '.join([name, solver, *figures]), '|', flush=True)
    return 0


def _stream(stopwatch: Stopwatch, process: Popen[str], seconds: float) -> list[str]:
    """Return the figures of the stream of 1 kHz."""
    usage = Usage(process)
    before = usage.memory
    sent, came, answered = stopwatch.stream(int(1e3 * seconds), 1e3)
    cpu, after = usage.cpu(), usage.memory
    newest = np.maximum.accumulate(answered)
    served = np.searchsorted(newest, np.arange(len(sent)))  # the first answer as new as each goal
    late = np.where(served < len(came), came[np.minimum(served, len(came) - 1)] - sent, np.inf)
    return [str(len(sent)), str(len(came)), str(int(np.sum(answered < newest))),
            f'{100.0 * np.mean(late < 5e-3):.2f} %', f'{1e3 * np.percentile(late, 99.9):.2f}',
            f'{100.0 * cpu:.0f} %', f'{before:.0f} → {after:.0f}']


def _bursts(stopwatch: Stopwatch, process: Popen[str]) -> list[str]:
    """Return the figures of the bursts of 10 kHz."""
    last, after, idle = 0, [], []
    for _ in range(_BURSTS):
        sent, came, answered = stopwatch.stream(_BURST, 1e4, rest=0.1)
        usage = Usage(process)
        last += int(answered[-1] == _BURST - 1)
        after.append(1e3 * (came[-1] - sent[-1]))
        time.sleep(0.5)
        idle.append(usage.cpu())
    return [f'{last} of {_BURSTS}', f'{max(after):.1f} at most', f'{100.0 * max(idle):.0f} %']


if __name__ == '__main__':
    sys.exit(main())
