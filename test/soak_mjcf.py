"""Reads collections of MJCF beside MuJoCo: every model that MuJoCo loads must load and agree.

    python test/soak_mjcf.py mujoco_menagerie openarm_mujoco --states 100 --goals 0

Prints a line for each file: the largest difference of the poses of all bodies and sites, of the
mass matrices without armature, of the limits, MuJoCo's own time and what reading it here adds. A
model that is refused is listed with the reason. With --urdf it also goes through `to_urdf` and
MuJoCo's reader of URDF; with --goals each leaf's arm solves so many goals.
"""

import argparse
import sys
import time
from pathlib import Path

import mujoco
import numpy as np

import mjcf_reference
from ik_node import KinematicTree, make_solver
from ik_node.support.exceptions import IkError

POSE, MASS = 1e-12, 1e-9  # m, kg and their likes: the largest differences; masses relative


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('folders', nargs='+', type=Path)
    parser.add_argument('--states', type=int, default=100)
    parser.add_argument('--goals', type=int, default=0)
    parser.add_argument('--urdf', action='store_true')
    parser.add_argument('--seed', type=int, default=0)
    options = parser.parse_args(arguments)
    files = sorted(file for folder in options.folders for file in folder.rglob('*.xml'))
    failed = [file for file in files if not check(file, options)]
    print(f'{len(files)} files, {len(failed)} failed: {", ".join(map(str, failed))}')
    return len(failed) > 0


def check(file, options) -> bool:
    """Compare one file; return whether it agrees, or is refused by MuJoCo, too."""
    try:
        model = mujoco.MjModel.from_xml_path(str(file))
    except Exception as error:
        return _refused_too(file, error)
    own = timed(lambda: mujoco.MjModel.from_xml_path(str(file)))
    try:
        tree = KinematicTree.from_mjcf(file)
    except IkError as error:
        print(f'{file}: REFUSED: {error}')
        return False
    added = timed(lambda: KinematicTree.from_mjcf(file)) - own
    rng, pose, mass = np.random.default_rng(options.seed), 0.0, 0.0
    for _ in range(options.states):
        data, values = mjcf_reference.qpos_and_values(model, tree, rng)
        different, count = mjcf_reference.largest_difference(model, data, tree, values)
        pose = max(pose, different)
        mass = max(mass, mjcf_reference.mass_difference(model, data, tree, values) or 0.0)
    limits = limits_agree(model, tree)
    turned = ''
    if options.urdf:
        turned = f', by URDF {mjcf_reference.difference_by_urdf(tree, rng):.1e}'
    slow = added > 0.2 * own + 0.010
    agrees = pose <= POSE * scale(model) and mass <= MASS and limits
    print(f'{file}: {count} frames {pose:.1e}, M {mass:.1e}, limits {limits}, {1e3 * own:.0f} ms + '
          f'{1e3 * added:.1f} ms{" SLOW" * slow}{"" if agrees else " DIFFERENT"}{turned}'
          + met(tree, options.goals, options.seed))
    for warning in tree.warnings:
        print(f'    {warning[:200]}')
    return agrees


def _refused_too(file, error) -> bool:
    try:
        KinematicTree.from_mjcf(file)
    except IkError as own:
        print(f'{file}: refused by MuJoCo, too: {str(own)[:200]}')
        return True
    print(f'{file}: read, though MuJoCo refuses it: {error}')
    return False


def scale(model):
    """Return the size of the model, m, at least 1: rounding grows with it."""
    return max(1.0, float(np.abs(model.body_pos).max(initial=0.0)))


def limits_agree(model, tree) -> bool:
    for k in range(model.njnt):
        name = model.joint(k).name or f'joint_{k}'
        if name in tree.joints:
            expected = model.jnt_range[k] if model.jnt_limited[k] else (-np.inf, np.inf)
            if (tree.joints[name].lower, tree.joints[name].upper) != tuple(expected):
                return False
    return True


def timed(work, repeats=5):
    """Return the shortest time of some runs, s."""
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return min(times)


def met(tree, goals, seed) -> str:
    """Return how many random goals are met, for the leaf with most joints."""
    if not goals:
        return ''
    chains = []
    for leaf in tree.leaves():
        try:
            chains.append(tree.chain(tip_link=leaf))
        except IkError:
            continue
    if not chains:
        return ''
    chain = max(chains, key=lambda one: one.n_joints)
    solver, rng = make_solver('auto', chain), np.random.default_rng(seed)
    low, high = np.maximum(chain.lower, -3.0), np.minimum(chain.upper, 3.0)
    found = sum(solver.solve(chain.forward(rng.uniform(low, high))).success for _ in range(goals))
    return f', {found} of {goals} goals at {chain.tip_link} ({chain.n_joints} joints)'


if __name__ == '__main__':
    sys.exit(main())
