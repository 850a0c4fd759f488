"""Named poses of a robot: `home`, `ready`, …, from YAML, SRDF (group states) or MJCF (keyframes).

    angle_unit: rad        # or deg; of every revolute joint, prismatic ones are in metres
    poses:
      home: {panda_joint1: 0.0, panda_joint2: -0.785, panda_joint4: -2.356}
      ready: {panda_joint1: 0.0, panda_joint2: -1.2, panda_joint4: -2.0}

A pose names any number of joints; the others stay where they are. All entries of a YAML file must
fit the robot. An SRDF is written for MoveIt, which accepts partial matches: joints that do not fit
are skipped, angles that fit after whole turns are changed, and `PoseLibrary.warnings` lists both.

    <group_state name="ready" group="panda_arm">
      <joint name="panda_joint1" value="0"/>
    </group_state>

A joint of several degrees of freedom, such as a floating joint, has as many values, separated by
spaces.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from os import PathLike
from types import MappingProxyType
from typing import Any

import numpy as np

from ik_node.model.joint_space import JointSpace, at_limits, check_joint_space
from ik_node.model.joints import check_text
from ik_node.model.mjcf import read_keyframes
from ik_node.model.mjcf_compiler import is_mjcf
from ik_node.model.numbered_text import numbers_or_nan
from ik_node.model.robot_xml import xml_text
from ik_node.model.srdf import read_srdf
from ik_node.model.tree import KinematicTree, check_tree
from ik_node.model.tree_structure import check_own_joint
from ik_node.model.yaml_file import angle_scale, load_yaml, real_number
from ik_node.support.arguments import keyed, mapping, one_of, sequence, vector
from ik_node.support.bounds import MAX_GROUP_STATES, as_path, check_name, read_bytes, reading
from ik_node.support.exceptions import ModelError, names, shown


class PoseLibrary(Mapping[str, Mapping[str, float]]):
    """Named poses that fit a robot, a read-only mapping name → {joint: value}, rad or m.

    Attributes:
    - `warnings`: what was skipped or changed in the source; one sentence each.
    """

    def __init__(self, poses: Any, tree: KinematicTree, angle_unit: str = 'rad', *,
                 source: str = 'the pose library', warnings: Iterable[str] = ()) -> None:
        """Check poses {name: {joint: value}}, in the angle unit ("rad" or "deg") or m.

        source: what messages call them. Raises ModelError where there are none, and for a joint
        that is unknown, fixed, a mimic, or outside its limits, and a value that is no finite
        number, naming the source, the pose and the joint.
        """
        check_tree(tree)
        check_text(source, 'source, the name of the poses,')
        angle_scale(angle_unit, f'{source}: ')
        if not isinstance(poses, Mapping) or not (poses := mapping(poses, f'{source}: poses')):
            raise ModelError(f'{source} has no poses: it must hold name: {{joint: value}}, not '
                             f'{shown(poses)}')
        self.warnings = tuple(sequence(warnings, 'warnings'))
        self._source = source
        self._poses: dict[str, Mapping[str, float]] = {}
        for name, values in poses.items():
            if not isinstance(name, str) or not name:
                raise ModelError(f'{source}: the name of a pose must be text, not {shown(name)}; '
                                 'put it in quotes')
            check_name(name, f'{source}: a pose')
            checked = _checked(values, tree, angle_unit, f'{source}: pose {name!r}')
            self._poses[name] = MappingProxyType(checked)

    @classmethod
    def from_yaml(cls, source: str | PathLike[str] | Mapping[str, Any],
                  tree: KinematicTree) -> 'PoseLibrary':
        """Read poses from a path (.yaml), or a mapping in the same schema; see the module.

        Raises ModelError for an invalid file.
        """
        what = ('the pose library' if isinstance(source, Mapping)
                else str(as_path(source, 'the source of poses')))
        table = source if isinstance(source, Mapping) else load_yaml(source, 'the poses')
        table = keyed(table, ('angle_unit', 'poses'), what)
        return cls(table.get('poses'), tree, table.get('angle_unit', 'rad'), source=what)

    @classmethod
    def from_srdf(cls, source: str | PathLike[str], tree: KinematicTree) -> 'PoseLibrary':
        """Read poses from the group states of an SRDF, or the keyframes of an MJCF.

        source: a path, or the XML text itself.

        A state is found as `group/name`, and as `name` together with the states of that name of
        other groups, unless they want a joint at different values. Joints without a value of
        their own (fixed ones, those of several degrees of freedom, mimics beside their source) and
        joints that do not fit the tree are skipped, as is a state without others; an angle outside
        the limits is taken by whole turns inside them; `warnings` lists all of it. Raises
        ModelError for a file that cannot be read, and where no state fits.
        """
        check_tree(tree)
        what, states = (read_keyframes if is_mjcf(xml_text(source, 'the SRDF')[1]) else
                        read_group_states)(source)
        warnings: list[str] = []
        by_group: dict[str, dict[str, float]] = {}
        by_name: dict[str, list[dict[str, float] | None]] = {}
        for (group, name), texts in states.items():
            full_name = f'{group}/{name}' if group else name
            where, values = f'{what}: pose {full_name!r}', None
            try:
                values = _checked(_own_values(texts, tree, where, warnings), tree, 'rad', where)
                if group:
                    by_group[full_name] = values
            except ModelError as error:
                warnings.append(f'{error}; the pose is skipped')
            by_name.setdefault(name, []).append(values)
        merged = {name: _merged(values, f'{what}: pose {name!r}', warnings)
                  for name, values in by_name.items()}
        poses = {name: values for name, values in merged.items() if values is not None} | by_group
        if not poses:
            raise ModelError(f'{what} has no poses: ' + (
                '; '.join(warnings) or 'there is no <group_state> or <key> in it'))
        return cls(poses, tree, source=what, warnings=warnings)

    def configuration(self, name: str, chain: JointSpace,
                      default: Sequence[float] | np.ndarray | None = None) -> np.ndarray:
        """Return a pose as the joint values (n,) of a chain or a body, rad or m.

        default: (n,) values of the joints that the pose does not name; by default
        `chain.neutral()`. Raises ModelError for an unknown pose, with the list, and for values
        outside the limits of the chain, which a mimic may narrow; InputError for a wrong default.
        """
        one_of(name, self._poses, 'pose', where=f'{self._source}: ')
        check_joint_space(chain)
        q = chain.neutral() if default is None else vector(default, chain.n_joints, 'default')
        for i, joint in enumerate(chain.joint_names):
            if joint in self._poses[name]:
                q[i] = at_limits(self._poses[name][joint], chain.lower[i], chain.upper[i])
                if not chain.lower[i] <= q[i] <= chain.upper[i]:
                    raise ModelError(
                        f'{self._source}: pose {name!r}: joint {joint!r}: {q[i]:.9g} is outside '
                        f'the limits {chain.lower[i]:.9g} to {chain.upper[i]:.9g} in the chain, '
                        'its mimics considered')
        return q

    def __getitem__(self, name: str) -> Mapping[str, float]:
        return self._poses[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._poses)

    def __len__(self) -> int:
        return len(self._poses)

    def __repr__(self) -> str:
        return f'PoseLibrary({self._source}: {names(self._poses)})'


def read_poses(path: str | PathLike[str], tree: KinematicTree) -> PoseLibrary:
    """Return the named poses of a .yaml, .yml, .srdf or MJCF file, {name: {joint: value}}.

    Files with another extension are recognised by their content. Raises ModelError for invalid
    files, and for poses that do not fit the tree.
    """
    path = as_path(path, 'the source of poses')
    suffix = path.suffix.lower()
    is_srdf = suffix == '.srdf'
    if suffix not in ('.yaml', '.yml', '.srdf'):
        with reading(f'the poses {str(path)!r}'):
            is_srdf = read_bytes(path).removeprefix(b'\xef\xbb\xbf').lstrip().startswith(b'<')
    if is_srdf:
        return PoseLibrary.from_srdf(path, tree)
    return PoseLibrary.from_yaml(path, tree)


def _checked(values: Any, tree: KinematicTree, angle_unit: str, where: str) -> dict[str, float]:
    if not isinstance(values, Mapping) or not (values := mapping(values, where)):
        raise ModelError(f'{where} must hold joint: value for at least one joint, not '
                         f'{shown(values)}')
    return {joint: _value(joint, value, tree, angle_unit, where) for joint, value in values.items()}


def _value(name: str, value: Any, tree: KinematicTree, angle_unit: str, where: str) -> float:
    """Return the value of a joint, rad or m. Raises ModelError where it cannot have it."""
    check_own_joint(tree, name, where)
    joint, where = tree.joints[name], f'{where}: joint {name!r}'
    value = real_number(value, where, math.inf)
    unit, scale = ('m', 1.0) if joint.prismatic else (angle_unit, angle_scale(angle_unit))
    inside = float(at_limits(scale * value, joint.lower, joint.upper))
    if not joint.lower <= inside <= joint.upper:
        raise ModelError(f'{where}: {value:.9g} {unit} is outside its limits '
                         f'{joint.lower / scale:.9g} to {joint.upper / scale:.9g} {unit}')
    return inside


def _own_values(texts: Mapping[str, str | None], tree: KinematicTree, where: str,
                warnings: list[str]) -> dict[str, float]:
    """Return the values of a state that fit the tree, and warn of the joints without one."""
    own: dict[str, float] = {}
    for name, text in texts.items():
        joint = tree.joints.get(name)
        try:
            if joint is not None and not joint.moves:
                raise ModelError(f'{where}: joint {name!r} is fixed')
            if joint is not None and tree.drives[name].source in texts.keys() - {name}:
                raise ModelError(f'{where}: joint {name!r} follows {tree.drives[name].source!r}')
            values = _numbers(text, f'{where}: joint {name!r}')
            if len(values) > 1:
                raise ModelError(f'{where}: joint {name!r} has {len(values)} values, one for each '
                                 'of its degrees of freedom' if joint is None else
                                 f'{where}: joint {name!r} has one value, not {len(values)}')
            value = values[0] if joint is None else _turned(values[0], name, tree)
            own[name] = _value(name, value, tree, 'rad', where)
        except ModelError as error:
            warnings.append(f'{error}; it is skipped')
            continue
        if value != values[0]:
            warnings.append(f'{where}: joint {name!r}: {values[0]:.9g} is outside its limits; '
                            f'{value:.9g} is used, the same after whole turns')
    return own


def _turned(value: float, name: str, tree: KinematicTree) -> float:
    """Return an angle by whole turns inside the joint's limits, where that changes no pose."""
    joint = tree.joints[name]
    if any(tree.joints[other].prismatic or not drive.multiplier.is_integer()
           for other, drive in tree.drives.items() if drive.source == name):
        return value
    below, above = (max(excess, 0.0) / (2.0 * math.pi)
                    for excess in (joint.lower - value, value - joint.upper))
    turned = value + 2.0 * math.pi * (math.ceil(below) - math.ceil(above))
    return turned if joint.lower <= turned <= joint.upper else value


def _merged(parts: Sequence[Mapping[str, float] | None], where: str,
            warnings: list[str]) -> dict[str, float] | None:
    """Return the states of one name as one pose; None, with a warning, where they disagree.

    A state that did not fit is None, and then there is no whole pose either.
    """
    merged: dict[str, float] = {}
    for values in parts:
        if values is None:
            return None
        for joint, value in values.items():
            if merged.setdefault(joint, value) != value:
                warnings.append(f'{where}: its groups want joint {joint!r} at different values, '
                                f'{merged[joint]:g} and {value:g}; use group/name')
                return None
    return merged


def read_group_states(source: str | PathLike[str]) -> tuple[
        str, dict[tuple[str, str], dict[str, str | None]]]:
    """Return the file's name, for messages, and its group states: {(group, name): {joint: text}}.

    The group is '' where a state names none, though SRDF requires one; the text of the joint's
    values, rad or m, is None without any. source: a path, or the XML text itself. Raises ModelError
    for an invalid file, naming the file and the state.
    """
    what, robot = read_srdf(source)
    elements = robot.findall('group_state')
    if len(elements) > MAX_GROUP_STATES:
        raise ModelError(f'{what} has {len(elements)} group states; at most {MAX_GROUP_STATES} '
                         'are allowed')
    states: dict[tuple[str, str], dict[str, str | None]] = {}
    for number, element in enumerate(elements, start=1):
        name, group = element.get('name'), element.get('group', '')
        if not name:
            raise ModelError(f'{what}: group_state number {number} has no name')
        texts: dict[str, str | None] = {}
        for joint in element.findall('joint'):
            joint_name = joint.get('name', '')
            if joint_name in texts:
                raise ModelError(f'{what}: pose {name!r}: joint {joint_name!r} appears twice')
            texts[joint_name] = joint.get('value')
        if states.setdefault((group, name), texts) is not texts:
            raise ModelError(f'{what}: two states of the group {group or None!r} are named '
                             f'{name!r}')
    return what, states


def _numbers(text: str | None, where: str) -> tuple[float, ...]:
    numbers = tuple(numbers_or_nan(text or ''))
    if not numbers or not all(map(math.isfinite, numbers)):
        raise ModelError(f'{where}: the value must be a finite number, or several separated '
                         f'by spaces, not {text!r}')
    return numbers
