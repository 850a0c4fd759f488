"""Reads malformed Acclaim skeletons and motions by the thousand.

    python test/soak_figures.py --files 5000 --seed 0
    python test/soak_figures.py --skeleton 07.asf --motion 07_01.amc

Each must be refused by an error that names one of its lines, whatever is wrong with it: a malformed
word, a line that is missing or repeated, an end that comes too early.
"""

import re
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np

import skeletons
from harness.soak_runner import run_soak
from ik_node import KinematicTree, read_amc
from ik_node.support.exceptions import IkError

FRAMES = 3
FREE_TEXT = re.compile(r'^:(?:name|version)[^\n]*|^:documentation.*?(?=^:)', re.M | re.S)


def values(lines):
    """Return the numbers of the lines of a motion with values of a bone."""
    return [k for k, line in enumerate(lines)
            if line.split() and not re.match(r'[:#]|\d+\s*$', line)]


def malformed_motion(text, rng):
    """Return a motion with one thing wrong, and what."""
    lines = text.splitlines()
    k = int(rng.choice(values(lines)))
    what = ('word', 'missing', 'repeated', 'truncated')[rng.integers(4)]
    if what == 'word':
        return skeletons.malformed(
            text, rng, lambda words: not words or words[0][0] in ':#')[0], what
    if what == 'missing':
        del lines[k]
    elif what == 'repeated':
        lines.insert(k, lines[k])
    else:  # in the middle of a frame
        frame = [j for j in values(lines) if j + 1 in values(lines)]
        lines = lines[:int(rng.choice(frame)) + 1]
    return '\n'.join(lines) + '\n', what


def malformed_skeleton(text, rng):
    """Return a skeleton with one thing wrong, and what."""
    what = ('word', 'truncated')[rng.integers(2)]
    if what == 'word':
        free = {tuple(line.split()) for part in FREE_TEXT.findall(text)
                for line in part.splitlines()}
        return skeletons.malformed(
            text, rng, lambda words: not words or tuple(words) in free or words[0] == ':units')[
            0], what
    whole = text[:text.rindex('end')].rstrip()  # `end` of the hierarchy may be all that is missing
    whole = whole[:whole.rindex('\n') + 1]
    begin = text.index(':bonedata')
    return text[:int(rng.integers(begin, len(whole)))] + '\n', what


def refusal(folder, skeleton, motion):
    """Return the error of reading both, or None."""
    (folder / 'figure.asf').write_text(skeleton)
    (folder / 'motion.amc').write_text(motion)
    try:
        read_amc(folder / 'motion.amc', KinematicTree.from_asf(folder / 'figure.asf'))
    except IkError as error:
        return str(error)
    return None


def soak(given) -> int:
    """Return how many files were read, or refused without one of their lines."""
    rng = np.random.default_rng(given.seed)
    skeleton = skeletons.FIGURE if given.skeleton is None else given.skeleton.read_text()
    if given.motion is None:
        motion = skeletons.motion([skeletons.random_values(rng) for _ in range(FRAMES)])
    else:
        motion = '\n'.join(first_frames(given.motion.read_text().splitlines())) + '\n'
    counts, failures = Counter(), 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        assert refusal(folder, skeleton, motion) is None
        for _ in range(given.files):
            kind = ('skeleton', 'motion')[rng.integers(2)]
            wrong, what = (malformed_skeleton(skeleton, rng) if kind == 'skeleton'
                           else malformed_motion(motion, rng))
            error = refusal(folder, *((wrong, motion) if kind == 'skeleton' else (skeleton, wrong)))
            line = error and re.search(rf"^the {kind} '[^']*', line (\d+): ", error)
            counts[f'{kind} {what}'] += 1
            if not line or not 1 <= int(line[1]) <= len(wrong.splitlines()):
                failures += 1
                print(f'{kind}, {what}: {error}')
    print(f'{given.files} malformed files: {dict(counts)}')
    return failures


def first_frames(lines):
    """Return the beginning of a motion, as far as a few frames."""
    frames = [k for k, line in enumerate(lines) if re.match(r'\d+\s*$', line)]
    return lines[:frames[FRAMES]] if len(frames) > FRAMES else lines


if __name__ == '__main__':
    run_soak(soak, __doc__, files=5_000, skeleton=Path, motion=Path)
