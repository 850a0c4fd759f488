"""Reads robots with odd files by the thousand, and collections of files beside Pinocchio.

    python test/soak_files.py --files 5000 --seed 0
    python test/soak_files.py --files 0 --folder robot-assets mycobot_ros

Limits of mimics must not lock their sources; additions that kinematics does not need must change
nothing. Of a collection every URDF that Pinocchio
loads must load, except those with swapped limits and with mimics of unknown or fixed joints.
"""

import contextlib
import math
import re
from collections import Counter
from pathlib import Path

import numpy as np

import robots
from harness.soak_runner import run_soak
from ik_node import KinematicTree
from ik_node.support.exceptions import IkError

FORBIDDEN = re.compile('are no range|mimics another: there is no joint|which is fixed')
ADDED = ('<gazebo><sensor:camera name="c"/></gazebo>', '<!-- a -- b -->', '<!----->',
         '<xacro:left behind="${x}"/>', '<transmission:a b:c="d"/>', '\n\n\t',
         '<a><!-- <b> --></a>')


def gripper(rng) -> str:
    """Return an arm with a finger and up to four mimics of it, or of each other."""
    own = sorted(rng.choice([-1.0, -0.8, 0.0, 0.4, 0.8, 2.0], 2, replace=False))
    parts = [robots.joint('f', 'revolute', 'base', 'l', limit=_limits(*own))]
    for k in range(rng.integers(1, 4)):
        source = 'f' if k == 0 or rng.random() < 0.7 else f'm{k - 1}'
        ratio, offset = rng.choice([-2.0, -1.0, 1.0, 0.5]), rng.choice([0.0, 0.0, 0.3, 5.0])
        low, high = rng.choice([-4.0, -2.0, -0.8, -0.0, 0.0, 0.4, 0.8, 2.0, 4.0], 2)
        low, high = (low, high) if rng.random() < 0.1 else (min(low, high), max(low, high))
        parts.append(robots.joint(
            f'm{k}', 'revolute', 'l', f'l{k}', limit=_limits(low, high),
            mimic=f'joint="{source}" multiplier="{ratio}" offset="{offset}"'))
    return robots.robot(*parts)


def _limits(lower: float, upper: float) -> str:
    return f'lower="{lower}" upper="{upper}" effort="1" velocity="1"'


def check_gripper(text: str) -> str:
    """Raise AssertionError where a finger is locked, or leaves limits that count."""
    tree = KinematicTree.from_urdf(text)
    own, (low, high) = tree.joints['f'], tree.limits('f')
    body = tree.body()
    assert (body.lower[0], body.upper[0]) == (low, high)
    assert high - low >= 0.5 * (own.upper - own.lower) - 1e-6
    assert not any(x == 0.0 and math.copysign(1.0, x) < 0.0 for x in (low, high))
    ignored = {name for name in tree.joints if any(
        f'joint {name!r}' in warning and 'ignored' in warning for warning in tree.warnings)}
    for name, joint in tree.joints.items():
        _, ratio, offset = tree.drives[name]
        values = [ratio * x + offset for x in (low, high)]
        if not (joint.lower - 1e-9 <= min(values) and max(values) <= joint.upper + 1e-9):
            assert name in ignored, name
    for leaf in tree.leaves():
        chain = tree.chain(tip_link=leaf)
        assert own.lower <= chain.lower[0] <= low < high <= chain.upper[0] <= own.upper
    return 'ignored' if ignored else 'kept'


def with_additions(text: str, rng) -> str:
    """Return a description with what kinematics does not need."""
    for addition in rng.choice(ADDED, 3):
        at = rng.choice([found.start() for found in re.finditer('<(?:link|joint) ', text)])
        text = text[:at] + addition + text[at:]
    return str(rng.choice(['', '\n <!-- -- -->\n', '\ufeff'])) + text


def compare(folder: Path) -> int:
    """Return how many URDFs of a folder Pinocchio loads and this package does not."""
    import pinocchio
    counts, lost = Counter(), 0
    for file in sorted(file for file in folder.rglob('*') if file.suffix.lower() == '.urdf'):
        with contextlib.suppress(Exception):
            pinocchio.buildModelFromUrdf(str(file))
            counts['by Pinocchio'] += 1
            try:
                tree = KinematicTree.from_urdf(file)
            except IkError as error:
                forbidden = FORBIDDEN.search(str(error)) is not None
                counts['forbidden'] += forbidden
                lost += not forbidden
                print(f'{file}: {error}')
                continue
            counts['by both'] += 1
            sources = {tree.drives[name].source for name, joint in tree.joints.items()
                       if joint.moves and joint.mimic is not None}
            if sources:
                counts['with mimics'] += 1
                counts['that move'] += all(np.subtract(*tree.limits(one)) < 0.0 for one in sources)
    print(f'{folder}: {dict(counts)}')
    return lost


def soak(given) -> int:
    """Return how many files failed."""
    rng, counts = np.random.default_rng(given.seed), Counter()
    plain = [(text, KinematicTree.from_urdf(text)) for file in sorted(robots.OWN.glob('*.urdf'))
             for text in [file.read_text()]]
    failures = sum(compare(folder) for folder in given.folder if folder != Path())
    for k in range(given.files):
        kind = ('gripper', 'additions')[k % 2]
        text, tree = plain[rng.integers(len(plain))]
        text = (gripper(rng) if kind == 'gripper' else
                with_additions(text[text.index('<robot'):], rng))
        try:
            if kind == 'additions':
                same = KinematicTree.from_urdf(text)
                assert same.links == tree.links
                assert [*map(same.limits, same.joints)] == [*map(tree.limits, tree.joints)]
                counts[kind, 'read'] += 1
            else:
                counts[kind, check_gripper(text)] += 1
        except Exception as error:
            failures += 1
            print(f'{kind}: {type(error).__name__} {error}\n{text[:2000]}')
    print(f'{given.files} files: '
          + ', '.join(f'{count} {kind} {how}' for (kind, how), count in sorted(counts.items())))
    return failures


if __name__ == '__main__':
    run_soak(soak, __doc__, files=5_000, folder=[Path()])
