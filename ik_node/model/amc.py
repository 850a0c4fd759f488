"""Reads Acclaim motions (AMC): the joint values of a skeleton, frame by frame."""

import math
from collections.abc import Iterator, Mapping
from os import PathLike

from ik_node.model.numbered_text import NumberedText, numbers_or_nan
from ik_node.model.parts import MotionChannels
from ik_node.model.tree import KinematicTree, check_tree
from ik_node.support.bounds import MAX_NUMBER, as_path
from ik_node.support.exceptions import ModelError, names, shown, unknown

_MAX_BYTES = 64 * 2**20  # of a motion: ten minutes at 120 Hz of a figure of 60 joints
_ANGLES = {':degrees': math.pi / 180.0, ':radians': 1.0}
_WHOLE = ':fully-specified'
_RATE = ':samples-per-second'
_UNUSED = (':asf-file', ':asf-path', ':frame-range')  # of some programs, before any words
_DIRECTIVES = (*_ANGLES, _WHOLE, _RATE, *_UNUSED)
SLOWEST, FASTEST = 1e-3, 1e6  # frames per second that a motion may have
_Channels = Mapping[str, list[tuple[str, float]]]


def read_amc(path: str | PathLike[str], tree: KinematicTree) -> list[dict[str, float]]:
    """Read a motion of a skeleton: a list of {joint: value}, rad or m, one for each frame.

    tree: from `KinematicTree.from_asf`, of the skeleton that the motion was recorded with. Every
    frame has every joint that moves, and can be given to `tree.forward`; bones that the motion
    leaves out of all frames are at zero. Values may exceed the limits of the joints. Raises
    ModelError for an invalid file, naming the line, and for a tree that does not come from a
    skeleton.
    """
    return read_motion(path, tree)[0]


def read_motion(path: str | PathLike[str],
                tree: KinematicTree) -> tuple[list[dict[str, float]], float | None]:
    """Read a motion as `read_amc`, and its frames per second; None where the file does not say."""
    channels = check_tree(tree).motion_channels
    if channels is None:
        raise ModelError('a motion needs the skeleton that it was recorded with: a tree from '
                         f'KinematicTree.from_asf, not {shown(tree)}')
    text = NumberedText(as_path(path, 'a motion'), 'the motion', _MAX_BYTES)
    motion = _Motion(text, channels)
    return motion.frames, motion.rate


class _Motion:
    def __init__(self, text: NumberedText, channels: MotionChannels) -> None:
        self._text = text
        self._zero = {joint: 0.0 for joints in channels.joints.values() for joint in joints}
        self._expected: set[str] | None = None
        self.frames: list[dict[str, float]] = []
        self.rate: float | None = None
        angle, lines = channels.angle_unit, text.words()
        start: tuple[int, list[str]] | None = None
        for number, words in lines:
            if not words[0].startswith(':'):
                start = number, words
                break
            angle = self._directive(number, words, angle, channels)
        if start is None or not _is_frame(start[1]):
            raise text.error(start[0] if start else text.last, 'a frame number is expected here'
                             + (f', not {shown(start[1][0])}' if start else ''))
        scaled = {bone: [(joint, angle if joint[-2] == 'r' else channels.length_unit)
                         for joint in joints] for bone, joints in channels.joints.items()}
        self._read(start, lines, scaled)

    def _directive(self, number: int, words: list[str], angle: float,
                   channels: MotionChannels) -> float:
        """Take a line before the first frame; return the unit of angle, rad."""
        word = words[0].lower()
        if word not in _DIRECTIVES:
            raise self._text.error(number, unknown('keyword', word, _DIRECTIVES))
        if word in _UNUSED:
            return angle
        if len(words) != (2 if word == _RATE else 1):
            wanted = 'before a number' if word == _RATE else 'alone'
            raise self._text.error(number, f'{word} must stand {wanted} in its line, not before '
                                           f'{shown(" ".join(words[1:]))}')
        if word == _RATE:
            self.rate = self._text.number(number, words[1], word)
            if not SLOWEST <= self.rate <= FASTEST:
                raise self._text.error(number, f'{word} must be from {SLOWEST:g} to {FASTEST:g}, '
                                               f'not {shown(words[1])}')
        if word == _WHOLE:
            self._expected = set(channels.joints)
        return _ANGLES.get(word, angle)

    def _read(self, start: tuple[int, list[str]], lines: Iterator[tuple[int, list[str]]],
              scaled: _Channels) -> None:
        frame, at, count = dict(self._zero), start[0], int(start[1][0])
        seen: set[str] = set()
        self.frames.append(frame)
        for number, words in lines:
            name = words[0].lower()
            channel = scaled.get(name)
            if channel is None or len(words) == 1:
                if not _is_frame(words):
                    raise self._unreadable(number, words, scaled)
                self._check(at, count, seen)
                if int(words[0]) <= count:
                    raise self._text.error(number, f'frame {words[0]} must have a greater number '
                                                   f'than the one before it, {count}')
                frame, seen, at, count = dict(self._zero), set(), number, int(words[0])
                self.frames.append(frame)
                continue
            if name in seen:
                raise self._text.error(number, f'frame {count} has {name!r} twice')
            seen.add(name)
            values = numbers_or_nan(' '.join(words[1:]))
            if len(values) != len(channel) or not sum(map(abs, values)) <= MAX_NUMBER:
                raise self._unreadable(number, words, scaled)
            for (joint, unit), value in zip(channel, values):
                frame[joint] = unit * value
        self._check(at, count, seen)

    def _check(self, line: int, count: int, seen: set[str]) -> None:
        """Raise ModelError where a frame has other bones than it should have."""
        if self._expected is None:
            self._expected = set(seen)
        if seen != self._expected or not seen:
            lost, more = sorted(self._expected - seen), sorted(seen - self._expected)
            raise self._text.error(line, f'frame {count} ' + (
                f'has no values of {names(lost)}' if lost else
                f'has values of {names(more)}, which the first frame has not' if more else
                'has no values'))

    def _unreadable(self, number: int, words: list[str], scaled: _Channels) -> ModelError:
        """Return the error for a line that is neither a frame number nor values of a bone."""
        channel = scaled.get(words[0].lower())
        if channel is None:
            return self._text.error(number, unknown('bone with degrees of freedom', words[0],
                                                    scaled))
        if len(words) - 1 != len(channel):
            return self._text.error(number, f'{words[0]!r} must have {len(channel)} values, for '
                                            f'{names(joint for joint, _unit in channel)}, not '
                                            f'{len(words) - 1}')
        for word, (joint, _unit) in zip(words[1:], channel):
            self._text.number(number, word, f'the value of {joint!r}')
        return self._text.error(number, f'the values of {words[0]!r} are beyond {MAX_NUMBER:g}')


def _is_frame(words: list[str]) -> bool:
    return len(words) == 1 and words[0].isascii() and words[0].isdigit() and len(words[0]) <= 18
