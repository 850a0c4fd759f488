"""Reads robots that were changed at random as SDF: each is refused in words, or a whole robot.

    python test/soak_sdf.py --count 2000 --seed 0

Each robot is written with poses, axes and frames at random; its forward kinematics must be that of
the robot. Then its text is changed in places, also as a file that another one includes, at a pose
and by a name. Prints how many were read and refused; exits with 1 where anything else was raised.
"""

import argparse
import re
import sys
import tempfile
from pathlib import Path

import numpy as np

import robots
from ik_node import KinematicTree
from ik_node.spatial import pose_from_rpy
from ik_node.support.exceptions import ModelError
from sdf_writer import as_sdf, joint, link, sdf

NAMES = ['panda', 'ur5', 'iiwa14', 'so101', 'allegro', 'scara', 'torso']
TOKENS = ['nan', '1e400', '-1', '', 'world', '__model__', '::', 'base', 'true', '<include/>',
          '<uri>model.sdf</uri>', '<pose/>', 'fixed', 'ball', 'universal', '\N{BLACK STAR}']
TOLERANCE = 1e-9


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--count', type=int, default=200)
    parser.add_argument('--seed', type=int, default=0)
    options = parser.parse_args(arguments)
    rng, read, failed = np.random.default_rng(options.seed), 0, []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(options.count):
            tree = robots.tree(NAMES[number % len(NAMES)])
            text = as_sdf(tree, rng)
            try:
                if (off := largest_difference(tree, text, Path(folder), rng)) > TOLERANCE:
                    failed.append(f'{number}: {tree.name} is off by {off:.1e}')
                read += reads(changed(text, rng), Path(folder), by_file=number % 2 > 0)
            except Exception as error:
                failed.append(f'{number}: {type(error).__name__}: {error}'[:300])
    print(f'{options.count} changed texts, {read} read; {len(failed)} failed', *failed, sep='\n')
    return bool(failed)


def largest_difference(tree, text, folder, rng) -> float:
    """Return by how much poses differ from those of a robot's SDF, and of one that includes it."""
    (folder / 'model.sdf').write_text(text)
    numbers = rng.uniform(-1.0, 1.0, 6)
    pose = f'<pose>{" ".join(map(repr, numbers.tolist()))}</pose>'
    child = tree.root if tree.root != 'world' else tree.links[1]
    including = folder / 'including.sdf'
    including.write_text(sdf(link('stand') + f'<include><uri>model.sdf</uri><name>r</name>{pose}'
                             '</include>' + joint('m', 'stand', f'r::{child}', 'fixed')))
    values = {name: rng.uniform(-1.0, 1.0) for name in tree.independent_joints}
    at, alone = tree.forward(values), KinematicTree.from_sdf(text).forward(values)
    off = max(np.abs(alone[name] - T).max() for name, T in at.items())
    if tree.root != 'world':
        there = KinematicTree.from_sdf(including).forward(
            {f'r::{name}': value for name, value in values.items()})
        T_stand_root = pose_from_rpy(numbers[:3], numbers[3:])
        off = max(off, *(np.abs(there[f'r::{name}'] - T_stand_root @ T).max()
                         for name, T in at.items()))
    return off


def changed(text, rng) -> str:
    """Return a text with parts removed, doubled, exchanged or replaced."""
    parts = re.split(r'(<[^>]*>|\s+|")', text)
    for _ in range(rng.integers(1, 6)):
        i, j = rng.integers(len(parts), size=2)
        how = rng.integers(4)
        if how == 0:
            parts[i] = str(rng.choice(TOKENS))
        elif how == 1:
            parts[i], parts[j] = parts[j], parts[i]
        elif how == 2:
            parts[i] = parts[i] + parts[i]
        else:
            parts[i:i + rng.integers(1, 4)] = []
    return ''.join(parts)


def reads(text, folder, by_file) -> bool:
    """Tell whether a text is read; from a file that includes itself by name, or as it is."""
    source = text
    if by_file:
        source = folder / 'model.sdf'
        source.write_text(text)
    try:
        tree = KinematicTree.from_sdf(source)
    except ModelError:
        return False
    assert all(np.isfinite(T).all() for T in tree.forward().values())
    KinematicTree.from_urdf(tree.to_urdf())
    return True


if __name__ == '__main__':
    sys.exit(main())
