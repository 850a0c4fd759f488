"""Measures solving without collisions for two arms, beside peers, and prints a table.

Goals are what both tips are at joint values that touch nothing, drawn evenly from the limits. Near
starts are 0.8 rad away in all joints together, far ones drawn likewise; all touch nothing. A goal
is met within 1e-4 m and rad; contact is tested as in `benchmark.collisions`. Times are those of the
processor, for all goals, with one thread. A peer that is not installed in the interpreter, or does
not meet a goal 0.05 rad away, is skipped.
"""

import argparse
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

from benchmark.collisions import Goals, load
from benchmark.machine import machine

HEAD = ('| robot | starts | solver | met % | met and free % | median ms | p99 ms |\n'
        '|---|---|---|---|---|---|---|')
PEERS = ('roboplan', 'placo', 'mink', 'pink')
_PYTHON = Path('.venv-peers/bin/python')
_TOLERANCE = 1e-4  # m and rad
_NEAR, _EASY = 0.8, 0.05  # rad


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(prog='python -m benchmark.collision_peers',
                                     description=__doc__)
    parser.add_argument('--cases', nargs='+', default=('two pandas', 'baxter body'))
    parser.add_argument('--goals', type=int, default=200)
    parser.add_argument('--peers', metavar='PYTHON', default=str(_PYTHON), help='an interpreter '
                        'that has pin-pink, mink, placo, roboplan and qpsolvers[daqp]')
    arguments = parser.parse_args()
    if not Path(arguments.peers).exists():
        print(f'Peers are skipped: {arguments.peers} is missing.', file=sys.stderr)
    print(f'{arguments.goals} goals; {machine()}\n\n{HEAD}', flush=True)
    for name in arguments.cases:
        goals = Goals(load(name), arguments.goals, 0, tolerance=_TOLERANCE)
        peers = {'ik_node': None} | {peer: found for peer in PEERS if Path(
            arguments.peers).exists() and (found := _Peer(arguments.peers, peer, goals)).works()}
        for kind in ('near', 'far'):
            starts = [_start(goals, q, kind) for q in goals.values]
            for peer, process in peers.items():
                solve = goals.solve if process is None else process.solve
                print(_line(name, kind, peer, goals, [
                    solve(*goal) for goal in zip(goals.targets, starts)]), flush=True)
        for process in filter(None, peers.values()):
            process.close()
    return 0


class _Peer:
    """A process that solves with a peer; see `collision_peer`."""

    def __init__(self, python: str, name: str, goals: Goals) -> None:
        self.name, self._goals, case = name, goals, goals.case
        env = {key: value for key, value in os.environ.items() if not key.startswith('PYTHON')}
        self._process = subprocess.Popen(
            [python, str(Path(__file__).with_name('collision_peer.py'))], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, env={**env, 'OPENBLAS_NUM_THREADS': '1'},
            stderr=subprocess.DEVNULL)
        links = [link.attrib['name'] for link in ElementTree.fromstring(case.urdf).iter('link')]
        root = case.space.tree.root
        self._send({'name': name, 'urdf': case.urdf, 'tips': case.tips, 'tolerance': _TOLERANCE,
                    'links': [root, *(link for link in links if link != root)],
                    'joints': list(case.space.joint_names), 'pairs': goals.checker.links()})

    def works(self) -> bool:
        """Tell whether it meets an easy goal."""
        goals = self._goals
        try:
            q, _ = self.solve(goals.targets[0], _start(goals, goals.values[0], _EASY))
        except (EOFError, OSError):
            q = np.full(len(goals.values[0]), np.nan)
        if not goals.meets(q, goals.targets[0]):
            print(f'{self.name} is skipped: it is not installed, or does not meet an easy goal',
                  file=sys.stderr)
            self.close()
            return False
        return True

    def solve(self, targets: np.ndarray, start: np.ndarray) -> tuple[np.ndarray, float]:
        self._send((start, targets))
        found: tuple[np.ndarray, float] = pickle.load(self._pipes[1])
        return found

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()

    @property
    def _pipes(self) -> Any:
        return self._process.stdin, self._process.stdout

    def _send(self, value: Any) -> None:
        pickle.dump(value, self._pipes[0])
        self._pipes[0].flush()


def _start(goals: Goals, q: np.ndarray, kind: str | float) -> np.ndarray:
    """Return joint values that touch nothing: drawn anew, or so far from q, rad."""
    rng = np.random.default_rng(int(1e6 * abs(q[0])))
    while True:
        if kind == 'far':
            start = rng.uniform(goals.low, goals.high)
        else:
            step = rng.normal(size=len(q))
            step *= (_NEAR if kind == 'near' else kind) / np.linalg.norm(step)
            start = np.clip(q + step, goals.low, goals.high)
        if not goals.checker.touches(goals.named(start)):
            return start


def _line(name: str, kind: str, peer: str, goals: Goals,
          found: list[tuple[np.ndarray, float]]) -> str:
    met = [goals.meets(q, targets) for (q, _), targets in zip(found, goals.targets)]
    free = sum(ok and not goals.checker.touches(goals.named(q)) for ok, (q, _) in zip(met, found))
    ms = 1e3 * np.array([seconds for _, seconds in found])
    return (f'| {name} | {kind} | {peer} | {100 * sum(met) / len(met):.1f} | '
            f'{100 * free / len(met):.1f} | {np.median(ms):.2f} | {np.percentile(ms, 99):.1f} |')


if __name__ == '__main__':
    sys.exit(main())
