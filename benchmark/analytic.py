"""Measures closed forms: every branch of random poses, beside the peers that have closed forms.

At last `auto`, which chooses between closed form and `dls`, beside `dls`, from random starts. Where
there is no peer, times are the least of several of each call.

Poses are forward kinematics of joint values drawn evenly from the limits, the same for all; limits
are not asked of the branches. Times are from Python, wrappers included, the contenders taking turns
in rounds; those of batches are CPU times over the number of cores. EAIK is given each pose as it
wants it, with the tip's frame at zero taken off, and its answer is left as it is; neither is
counted. Branches are the same where there are as many and each has its like, whole turns aside.
"""

import argparse
import os
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from benchmark import arms
from benchmark.machine import machine
from ik_node import Chain, KinematicTree, make_solver
from ik_node.kinematics.structures import axes_at_zero
from ik_node.support.exceptions import UnsupportedError

_ROUNDS = 20
_SAME = 1e-6            # rad
_BESIDE = ('ur5', 'ur10', 'z1', 'puma560', 'kr16', 'kinova', 'vx300s', 'px150', 'rx150', 'rx200',
           'vx250', 'vx300')
_ALONE = ('irb140',)
_REDUNDANT = ('iiwa14', 'panda')
_FIRST = ('| arm | ours µs | EAIK µs | ours / EAIK | ours in a batch µs | EAIK in a batch µs | '
          'batch / EAIK | same branches % | most apart, rad | ours off the pose | '
          'EAIK off the pose |\n'
          '|---|---|---|---|---|---|---|---|---|---|---|')
_SECOND = ('| arm | family | branches | holds the configuration % | median µs | p99 µs |\n'
           '|---|---|---|---|---|---|')
_THIRD = '| arm | family | solved % | median µs | p99 µs |\n|---|---|---|---|---|'
_FOURTH = ('| arm | dls µs | auto / dls: median | p95 | p99 | goal by goal: median | p95 | p99 | '
           'solved by dls % | by auto % | by the closed form % |\n'
           '|---|---|---|---|---|---|---|---|---|---|---|')
_REPEATS = 5

Contender = Callable[[int], object]


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(prog='python -m benchmark.analytic', description=__doc__)
    parser.add_argument('--goals', type=int, default=10000)
    parser.add_argument('--seed', type=int, default=0)
    arguments = parser.parse_args()
    print(f'{arguments.goals} goals an arm; {machine()}\n\n{_FIRST}', flush=True)
    for name in _BESIDE:
        _row(_beside_eaik, name, arms.load(name).chain, arguments)
    print(flush=True)
    _beside_rtb(arguments)
    print(f'\n{_SECOND}', flush=True)
    for name in _ALONE:
        _row(_alone, f'{name} (EAIK: {_family_by_eaik(arms.load(name).chain)})',
             arms.load(name).chain, arguments)
    _row(_alone, 'six axes at random', _random_arm(), arguments)
    print(f'\n{_THIRD}', flush=True)
    for name in _REDUNDANT:
        _row(_redundant, name, arms.load(name).chain, arguments)
    print(f'\n{_FOURTH}', flush=True)
    for name, chain in [*((name, arms.load(name).chain) for name in arms.NAMES), *arms.prebuilt()]:
        _row(_auto_beside_dls, name, chain, arguments)
    return 0


def _row(measure: Callable, name: str, chain: Chain, arguments: argparse.Namespace) -> None:
    """Print what is measured on an arm, or say why nothing is."""
    try:
        print(measure(name, chain, arguments), flush=True)
    except (ImportError, UnsupportedError) as error:
        print(f'{name} is left out: {error}', file=sys.stderr)


def _beside_eaik(name: str, chain: Chain, arguments: argparse.Namespace) -> str:
    """Return the row of an arm that EAIK knows, too."""
    solver, (_, poses) = make_solver('analytic', chain), _goals(chain, arguments)
    robot, given = _eaik(chain), _for_eaik(chain, poses)

    def ours(k: int) -> np.ndarray:
        return solver.solve_all(poses[k], within_limits=False)

    def theirs(k: int) -> np.ndarray:
        found = robot.IK(given[k])
        return found.Q[~np.asarray(found.is_LS, dtype=bool)]  # LS: near the pose, not there

    one, peer = (np.median(times) for times in _in_turns(
        (ours, lambda k: robot.IK(given[k])), len(poses)))
    cores = os.cpu_count() or 1
    batch, peer_batch = (np.median(times) / (len(poses) * cores) for times in _in_turns(
        (lambda _: solver.solve_all_batch(poses, within_limits=False),
         lambda _: robot.IK_batched(given, cores)), _ROUNDS, time.process_time))
    pairs = [(ours(k), theirs(k)) for k in range(len(poses))]
    apart = np.array([_apart(*pair) for pair in pairs])
    most = apart[np.isfinite(apart)].max(initial=0.0)
    off, peer_off = (max(_off(chain, branches, pose) for branches, pose in zip(each, poses))
                     for each in zip(*pairs))
    return (f'| {name} | {one:.1f} | {peer:.1f} | {one / peer:.2f} | {batch:.2f} | '
            f'{peer_batch:.2f} | {batch / peer:.2f} | {100.0 * (apart <= _SAME).mean():.2f} | '
            f'{most:.0e} | {off:.0e} | {peer_off:.0e} |')


def _beside_rtb(arguments: argparse.Namespace) -> None:
    """Print how long the toolbox takes for one branch of its own Puma, and we for all of them."""
    try:
        import roboticstoolbox
    except ImportError as error:
        print(f'rtb is left out: {error}', file=sys.stderr)
        return
    from spatialmath import SE3
    puma = roboticstoolbox.models.DH.Puma560()
    rows = [(link.a, link.alpha, link.d, link.offset) for link in puma.links]
    chain = KinematicTree.from_dh(np.array(rows), 'standard').chain()
    _, poses = _goals(chain, arguments)
    poses = poses[:max(1, len(poses) // 10)]  # it is slow
    given = [SE3(pose, check=False) for pose in poses]
    try:
        solver = make_solver('analytic', chain)
    except UnsupportedError as error:
        print(f'rtb is left out: {error}', file=sys.stderr)
        return
    ours, theirs = (np.median(times) for times in _in_turns(
        (lambda k: solver.solve_all(poses[k], within_limits=False),
         lambda k: puma.ikine_a(given[k], 'lun')), len(poses)))
    print(f'rtb, its own Puma 560: one branch by ikine_a in {theirs:.1f} µs, all of them by ours '
          f'in {ours:.1f} µs: {ours / theirs:.3f}', flush=True)


def _alone(name: str, chain: Chain, arguments: argparse.Namespace) -> str:
    """Return the row of an arm that no peer has a closed form for: all its branches."""
    solver, (postures, poses) = make_solver('analytic', chain), _goals(chain, arguments)
    times = _least((lambda k: solver.solve_all(poses[k], within_limits=False),), len(poses))[0]
    counts, held = [], []
    for q, pose in zip(postures, poses):
        found = solver.solve_all(pose, within_limits=False)
        counts.append(len(found))
        held.append(len(found) > 0 and turns_aside(found - q).max(axis=1).min() <= _SAME)
    return (f'| {name} | {solver.family} | {np.mean(counts):.2f}, at most {max(counts)} | '
            f'{100.0 * np.mean(held):.2f} | {np.median(times):.1f} | '
            f'{np.percentile(times, 99):.1f} |')


def _redundant(name: str, chain: Chain, arguments: argparse.Namespace) -> str:
    """Return the row of an arm with a joint to spare: one answer inside the limits."""
    solver, (_, poses) = make_solver('analytic', chain), _goals(chain, arguments)
    start = sum(ranges(chain)) / 2.0
    times = _least((lambda k: solver.solve(poses[k], start),), len(poses))[0]
    solved = [solver.solve(pose, start).success for pose in poses]
    return (f'| {name} | {solver.family} | {100.0 * np.mean(solved):.2f} | '
            f'{np.median(times):.1f} | {np.percentile(times, 99):.1f} |')


def _auto_beside_dls(name: str, chain: Chain, arguments: argparse.Namespace) -> str:
    """Return the row of an arm that `auto` and `dls` solve for the same goals and starts."""
    _, poses = _goals(chain, arguments)
    poses = poses[:max(1, len(poses) // 10)]
    starts = np.random.default_rng(arguments.seed + 1).uniform(
        *ranges(chain), (len(poses), chain.n_joints))
    by_dls, by_auto = make_solver('dls', chain), make_solver('auto', chain)
    calls = (lambda k: by_dls.solve(poses[k], starts[k]),
             lambda k: by_auto.solve(poses[k], starts[k]))
    dls, auto = _least(calls, len(poses))
    shares = [50.0, 95.0, 99.0]
    ratios = [*np.percentile(auto, shares) / np.percentile(dls, shares),
              *np.percentile(auto / dls, shares)]
    results = [[call(k) for k in range(len(poses))] for call in calls]
    solved = [100.0 * np.mean([result.success for result in each]) for each in results]
    closed = 100.0 * np.mean([result.method == 'analytic' for result in results[1]])
    return (f'| {name} | {np.median(dls):.1f} | {" | ".join(f"{ratio:.2f}" for ratio in ratios)} | '
            f'{solved[0]:.2f} | {solved[1]:.2f} | {closed:.1f} |')


def _least(contenders: Sequence[Contender], count: int) -> np.ndarray:
    """Return the least of some times of each call, as `_in_turns`."""
    found: np.ndarray = np.min([_in_turns(contenders, count) for _ in range(_REPEATS)], axis=0)
    return found


def _in_turns(contenders: Sequence[Contender], count: int,
              clock: Callable[[], float] = time.perf_counter) -> np.ndarray:
    """Return the times, µs, (contenders, count) of calls 0 … count − 1, one block after another."""
    times = np.empty((len(contenders), count))
    for call in contenders:
        call(0)  # compiled, loaded, warm
    for block in np.array_split(np.arange(count), min(_ROUNDS, count)):
        for call, row in zip(contenders, times):
            for k in block:
                began = clock()
                call(k)
                row[k] = clock() - began
    return 1e6 * times


def _apart(ours: np.ndarray, theirs: np.ndarray) -> float:
    """Return how far branches (k, n) and (l, n) are from each other, rad; inf where k ≠ l."""
    if len(ours) != len(theirs):
        return np.inf
    if not len(ours):
        return 0.0
    apart = turns_aside(ours[:, None] - theirs[None]).max(axis=2)
    return float(max(apart.min(axis=0).max(), apart.min(axis=1).max()))


def _off(chain: Chain, branches: np.ndarray, pose: np.ndarray) -> float:
    """Return the largest difference of an entry, m or 1, of the poses at branches (k, n)."""
    return max((float(np.abs(chain.forward(q) - pose).max()) for q in branches), default=0.0)


def turns_aside(difference: np.ndarray) -> np.ndarray:
    """Return the size of differences of angles, rad, whole turns left out."""
    return np.abs(np.remainder(difference + np.pi, 2.0 * np.pi) - np.pi)


def _eaik(chain: Chain) -> Any:
    """Return EAIK's robot: its axes and what leads from each to the next, at zero, base frame."""
    from eaik.IK_HP import HPRobot
    points, axes = axes_at_zero(chain.arrays)
    # It looks for axes that are exactly parallel and points that are exactly one.
    return HPRobot(np.round(axes, 9), np.diff(points, axis=0, prepend=np.zeros((1, 3))))


def _for_eaik(chain: Chain, poses: np.ndarray) -> np.ndarray:
    """Return poses (m, 4, 4) with the rotation that the tip's frame has at zero taken off."""
    given = poses.copy()
    given[:, :3, :3] = poses[:, :3, :3] @ chain.forward(np.zeros(chain.n_joints))[:3, :3].T
    return given


def _family_by_eaik(chain: Chain) -> str:
    try:
        return _eaik(chain).getKinematicFamily()
    except ImportError:
        return 'not installed'


def _goals(chain: Chain, arguments: argparse.Namespace) -> tuple[np.ndarray, np.ndarray]:
    """Return joint values (m, n) and the poses (m, 4, 4) of the tip there."""
    lower, upper = ranges(chain)
    postures = np.random.default_rng(arguments.seed).uniform(
        lower, upper, (arguments.goals, chain.n_joints))
    return postures, np.array([chain.forward(q) for q in postures])


def ranges(chain: Chain) -> tuple[np.ndarray, np.ndarray]:
    """Return the limits (n,), rad or m; ±π where there are none."""
    return (np.where(np.isfinite(chain.lower), chain.lower, -np.pi),
            np.where(np.isfinite(chain.upper), chain.upper, np.pi))


def _random_arm() -> Chain:
    """Return an arm of six axes of which no two are parallel and no two meet."""
    rng = np.random.default_rng(1)
    rows = np.column_stack([rng.uniform(0.1, 0.4, 6), rng.uniform(0.4, 1.2, 6),
                            rng.uniform(-0.3, 0.3, 6), np.zeros(6)])
    return KinematicTree.from_dh(rows, 'standard').chain()


if __name__ == '__main__':
    sys.exit(main())
