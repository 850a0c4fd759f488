"""Parses Acclaim skeleton files (ASF) into bones and their hierarchy.

[Schafer, Acclaim Skeleton File Definition 1.10; Parent, lecture on kinematics]. Names and keywords
are not case-sensitive; sections, and keys in a section, may come in any order.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ik_node.model.joints import UNLIMITED
from ik_node.model.numbered_text import NumberedText, Words, number_of
from ik_node.support.bounds import MAX_LINKS
from ik_node.support.exceptions import ModelError, names, shown, unknown

ROOT = 'root'
ROTATIONS, TRANSLATIONS, STRETCH = ('rx', 'ry', 'rz'), ('tx', 'ty', 'tz'), 'l'
_DOF = (*TRANSLATIONS, *ROTATIONS, STRETCH)
_SECTIONS = (':version', ':name', ':units', ':documentation', ':root', ':bonedata', ':hierarchy',
             ':skin')
_ROOT_KEYS = ('order', 'axis', 'position', 'orientation')
_BONE_KEYS = ('id', 'name', 'direction', 'length', 'axis', 'dof', 'limits', 'bodymass', 'cofmass')
_ORDERS = ('xyz', 'xzy', 'yxz', 'yzx', 'zxy', 'zyx')
_ANGLES = {'deg': math.pi / 180.0, 'rad': 1.0}
_ZERO: tuple[float, ...] = (0.0, 0.0, 0.0)
_NO_LIMITS = (-math.inf, math.inf)
_SHORTEST = 1e-9     # of a direction
_LONGEST_NAME = 200  # characters: the names of joints and links are longer


@dataclass(frozen=True)
class Units:
    """Units of a file; its numbers are divided by mass and length."""

    mass: float = 1.0  # units of mass of the file per kg
    length: float = 1.0  # units of length of the file per inch
    angle: float = _ANGLES['deg']  # radians per unit of angle of the file


@dataclass(frozen=True)
class Bone:
    """A bone in the units of the file, but angles in rad. The root is a bone without length."""

    name: str
    line: int  # where it begins in the file
    direction: tuple[float, ...] = _ZERO
    """From its near to its far end, in the axes of the file, in the rest pose."""
    length: float = 0.0
    axis: tuple[float, ...] = _ZERO
    """Angles about x, y and z of the axes of its motion, or of the root's orientation, rad."""
    order: str = 'xyz'  # in which the angles of `axis` apply, about fixed axes
    dof: tuple[str, ...] = ()
    """In the order in which the values of a motion are applied and written in its file."""
    limits: tuple[tuple[float, float], ...] = ()
    """Lower and upper for each of dof, rad or the file's unit of length; infinite for none."""
    mass: float | None = None
    center: float | None = None  # of the mass, from the near end along the bone
    position: tuple[float, ...] = _ZERO  # of the root


@dataclass(frozen=True)
class Skeleton:
    """The contents of a file. `parents`: bone → its parent, parents first, siblings in order.

    `warnings`: what is passed over; one sentence each.
    """

    name: str
    units: Units
    root: Bone
    bones: dict[str, Bone]
    parents: dict[str, str]
    warnings: list[str]


def parse_asf(text: NumberedText) -> Skeleton:
    """Return the skeleton of a text. Raises ModelError, which names the line."""
    warnings: list[str] = []
    titles, sections = _sections(text, warnings)
    units = _units(text, sections.get(':units', []))
    for name in (':root', ':bonedata', ':hierarchy'):
        if name not in titles:
            raise text.error(text.last, '; '.join(
                [f'the file ends without a section {name}', *warnings]))
    root = _root(text, titles[':root'], sections[':root'], units)
    bones: dict[str, Bone] = {}
    for line, block in _blocks(text, titles[':bonedata'], sections[':bonedata']):
        bone = _bone(text, line, block, units)
        if bone.name in bones:
            raise text.error(line, f'another bone is named {bone.name!r}, in line '
                                   f'{bones[bone.name].line}')
        bones[bone.name] = bone
        if len(bones) > MAX_LINKS:
            raise text.error(line, f'there are too many bones; at most {MAX_LINKS} are allowed')
    parents = _hierarchy(text, titles[':hierarchy'], sections[':hierarchy'], bones)
    name = _joined(word for _, words in sections.get(':name', []) for word in words)
    if not name.isprintable():
        raise text.error(titles[':name'], f'the name {shown(name)} has unprintable characters')
    return Skeleton(name or 'skeleton', units, root, bones, parents, warnings)


_Lines = list[tuple[int, Words]]


def _sections(text: NumberedText,
              warnings: list[str]) -> tuple[dict[str, int], dict[str, _Lines]]:
    """Return the line where each section begins, and its lines, keywords in lower case.

    Unknown sections are passed over, with a warning.
    """
    titles: dict[str, int] = {}
    sections: dict[str, _Lines] = {}
    current = None
    for line, words in text.words():
        if words[0].startswith(':'):
            current = words.pop(0).lower()
            if current not in _SECTIONS:
                warnings.append(f'line {line}: {unknown("section", current, _SECTIONS)}; it is '
                                'passed over')
            elif current in titles:
                raise text.error(line, f'the section {current} begins a second time; the first is '
                                       f'in line {titles[current]}')
            titles[current], sections[current] = line, []
        elif current is None:
            raise text.error(line, f'a skeleton begins with a section such as :version, not with '
                                   f'{shown(words[0])}')
        if words:
            sections[current].append((line, [(line, word) for word in words]))
    return titles, sections


class _Keys(dict[str, Words]):
    """The keys of a section or of a bone, with their words; `where`: in messages."""

    def __init__(self, text: NumberedText, lines: _Lines, allowed: Sequence[str],
                 where: str) -> None:
        super().__init__()
        self._text, self.where = text, where
        current: Words | None = None
        for line, words in lines:
            key = words[0][1].lower()
            if current is not None and number_of(key) is not None:
                current.extend(words)
                continue
            if key not in allowed:
                raise text.error(line, unknown(f'key of {where}', key, allowed))
            if key in self:
                raise text.error(line, f'{where} has the key {key!r} twice')
            current = self[key] = list(words)

    def error(self, key: str, problem: str) -> ModelError:
        return self._text.error(self[key][0][0], problem)

    def numbers(self, key: str, count: int, end: int | None = None) -> tuple[float, ...]:
        """Return the numbers that follow a key, up to the word at `end`."""
        (line, name), *values = self[key][:end]
        if len(values) != count:
            wanted = 'a number' if count == 1 else f'{count} numbers'
            raise self._text.error(line, f'{self.where}: {name} must be {wanted}, not '
                                         f'{shown(_joined(values))}')
        return tuple(self._text.number(at, word, f'{self.where}: {name}') for at, word in values)

    def number(self, key: str) -> float:
        return self.numbers(key, 1)[0]

    def word(self, key: str) -> str:
        (line, name), *values = self[key]
        if len(values) != 1:
            raise self._text.error(line, f'{self.where}: {name} must be one word, not '
                                         f'{shown(_joined(values))}')
        return values[0][1].lower()

    def order(self, key: str) -> str:
        """Return the order of rotations at the end of a key."""
        line, order = self[key][-1]
        if len(self[key]) < 2 or order.lower() not in _ORDERS:
            raise self._text.error(line, f'{self.where}: {self[key][0][1]} must end with an order '
                                         f'of rotations, one of {names(_ORDERS)}, not '
                                         f'{shown(order)}')
        return order.lower()


def _joined(words: Iterable[tuple[int, str]]) -> str:
    return ' '.join(word for _, word in words)


def _units(text: NumberedText, lines: _Lines) -> Units:
    keys = _Keys(text, lines, ('mass', 'length', 'angle'), 'the units')
    found: dict[str, float] = {}
    for key in keys:
        if key == 'angle':
            unit = keys.word(key)
            if unit not in _ANGLES:
                raise keys.error(key, f'the unit of angle must be one of {names(_ANGLES)}, not '
                                      f'{shown(unit)}')
            found[key] = _ANGLES[unit]
        else:
            found[key] = keys.number(key)
            if not found[key] >= 1e-9:
                raise keys.error(key, f'the unit of {key} must be above 0, not '
                                      f'{shown(keys[key][1][1])}')
    return Units(**found)


def _root(text: NumberedText, line: int, lines: _Lines, units: Units) -> Bone:
    keys = _Keys(text, lines, _ROOT_KEYS, 'the root')
    if 'order' not in keys:
        raise text.error(line, "the root has no key 'order'")
    dof = tuple(word.lower() for _, word in keys['order'][1:])
    if sorted(dof) != sorted((*TRANSLATIONS, *ROTATIONS)):
        raise keys.error('order', f'the order of the root must have TX, TY, TZ, RX, RY '
                                  f'and RZ once each, not {shown(" ".join(dof))}')
    if 'axis' in keys and len(keys['axis']) != 2:
        raise keys.error('axis', 'the axis of the root must be an order of rotations, '
                                 f'one of {names(_ORDERS)}')
    position, orientation = (keys.numbers(key, 3) if key in keys else _ZERO
                             for key in ('position', 'orientation'))
    return Bone(ROOT, line, axis=tuple(units.angle * angle for angle in orientation),
                order=keys.order('axis') if 'axis' in keys else 'xyz', dof=dof,
                limits=(_NO_LIMITS,) * 6, position=position)


def _blocks(text: NumberedText, title: int, lines: _Lines) -> list[tuple[int, _Lines]]:
    """Return the lines between each begin and its end, and the line of the begin."""
    blocks: list[tuple[int, _Lines]] = []
    inside = False
    for line, words in lines:
        word = words[0][1].lower()
        if word in ('begin', 'end'):
            if len(words) > 1:
                raise text.error(line, f'{word} must stand alone in its line, not before '
                                       f'{shown(words[1][1])}')
            if inside == (word == 'begin'):
                raise text.error(line, f'{word} ' + (
                    f'without the end of what begins in line {blocks[-1][0]}' if inside
                    else 'without a begin before it'))
            inside = not inside
            if inside:
                blocks.append((line, []))
        elif not inside:
            raise text.error(line, f'begin is expected here, not {shown(words[0][1])}')
        else:
            blocks[-1][1].append((line, words))
    if inside:
        raise text.error(lines[-1][0], f'what begins in line {blocks[-1][0]} has no end')
    if not blocks:
        raise text.error(title, 'the section has no begin and end')
    return blocks


def _bone(text: NumberedText, line: int, lines: _Lines, units: Units) -> Bone:
    keys = _Keys(text, lines, _BONE_KEYS, 'a bone')
    for key in ('name', 'direction', 'length', *(['axis'] if 'dof' in keys else [])):
        if key not in keys:
            raise text.error(line, f'the bone that begins here has no key {key!r}')
    name = keys.word('name')
    where = keys.where = f'bone {shown(name)}'
    if name == ROOT or len(name) > _LONGEST_NAME or not name.isprintable():
        raise keys.error('name', f'a bone must have a name other than {ROOT!r}, of at most '
                                 f'{_LONGEST_NAME} printable characters, not {shown(name)}')
    if 'id' in keys:
        keys.number('id')
    direction, length = keys.numbers('direction', 3), keys.number('length')
    if length < 0.0:
        raise keys.error('length', f'{where}: length must not be negative, not {length:g}')
    dof = _dof(text, keys) if 'dof' in keys else ()
    if math.hypot(*direction) < _SHORTEST and (length > 0.0 or STRETCH in dof):
        raise keys.error('direction', f'{where}: direction must not be zero')
    axis, order = _ZERO, 'xyz'
    if 'axis' in keys:
        order = keys.order('axis')
        axis = tuple(units.angle * angle for angle in keys.numbers('axis', 3, -1))
    mass, center = (keys.number(key) if key in keys else None for key in ('bodymass', 'cofmass'))
    if mass is not None and mass < 0.0:
        raise keys.error('bodymass', f'{where}: bodymass must not be negative, not {mass:g}')
    limits = _limits(text, keys, dof, units) if 'limits' in keys else (_NO_LIMITS,) * len(dof)
    return Bone(name, line, direction, length, axis, order, dof, limits, mass, center)


def _dof(text: NumberedText, keys: _Keys) -> tuple[str, ...]:
    words = keys['dof'][1:]
    for line, word in words:
        if word.lower() not in _DOF:
            raise text.error(line, f'{keys.where}: {unknown("degree of freedom", word, _DOF)}')
    dof = tuple(word.lower() for _, word in words)
    if len(set(dof)) < len(dof):
        raise keys.error('dof', f'{keys.where}: a degree of freedom appears twice in {names(dof)}')
    return dof


def _limits(text: NumberedText, keys: _Keys, dof: Sequence[str],
            units: Units) -> tuple[tuple[float, float], ...]:
    values = keys['limits'][1:]
    if len(values) != 2 * len(dof):
        raise keys.error('limits', f'{keys.where}: limits must be a lower and an upper one for '
                                   f'each of its {len(dof)} degrees of freedom, not {len(values)} '
                                   'numbers')
    found = []
    for name, (line, low), (_, high) in zip(dof, values[::2], values[1::2]):
        lower, upper = number_of(low), number_of(high)
        if lower is None or upper is None:
            raise text.error(line, f'{keys.where}: the limits of {name} must be numbers, inf or '
                                   f'-inf, not {shown(f"{low} {high}")}')
        if not lower <= upper or lower >= UNLIMITED or upper <= -UNLIMITED:
            raise text.error(line, f'{keys.where}: the limits {low} {high} of {name} are no range')
        unit = units.angle if name in ROTATIONS else 1.0
        found.append((unit * lower if lower > -UNLIMITED else -math.inf,
                      unit * upper if upper < UNLIMITED else math.inf))
    return tuple(found)


def _hierarchy(text: NumberedText, title: int, lines: _Lines,
               bones: dict[str, Bone]) -> dict[str, str]:
    """Return the parent of every bone. Raises ModelError where the bones are no tree."""
    blocks = _blocks(text, title, lines)
    if len(blocks) > 1:
        raise text.error(blocks[1][0], 'the hierarchy begins a second time')
    children: dict[str, list[str]] = {}
    seen: dict[str, int] = {}
    for line, words in blocks[0][1]:
        parent, *below = (word.lower() for _, word in words)
        if not below:
            raise text.error(line, f'{shown(parent)} has no bones after it')
        for name in (parent, *below):
            if name not in bones and name != ROOT:
                raise text.error(line, unknown('bone', name, (ROOT, *bones)))
        for name in below:
            if name == ROOT:
                raise text.error(line, f'{ROOT} can be no child of {parent!r}')
            if name in seen:
                raise text.error(line, f'the bone {name!r} already has a parent, in line '
                                       f'{seen[name]}')
            seen[name] = line
        children.setdefault(parent, []).extend(below)
    parents: dict[str, str] = {}
    stack = [ROOT]
    while stack:
        parent = stack.pop()
        below = children.get(parent, [])
        parents.update(dict.fromkeys(below, parent))
        stack.extend(reversed(below))
    for name, bone in bones.items():
        if name not in parents:
            raise text.error(seen.get(name, bone.line), f'the bone {name!r} is not connected to '
                                                        f'the {ROOT} in the hierarchy')
    return parents
