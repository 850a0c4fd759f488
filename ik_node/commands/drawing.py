"""Draws a tree of links and joints as text."""

from collections.abc import Mapping, Sequence
from typing import Any

_AXES = {(1.0, 0.0, 0.0): 'x', (0.0, 1.0, 0.0): 'y', (0.0, 0.0, 1.0): 'z',
         (-1.0, 0.0, 0.0): '-x', (0.0, -1.0, 0.0): '-y', (0.0, 0.0, -1.0): '-z'}


def draw_tree(root: str, joints: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the lines of a drawing, each with a joint and its child link.

    joints: as `inspection.inspect_tree` returns them. Each line continues the one above it;
    branches are drawn only for several children, so that a long arm is not indented.
    """
    below: dict[str, list[Mapping[str, Any]]] = {}
    for joint in joints:
        below.setdefault(joint['parent'], []).append(joint)
    drawn: list[tuple[str, Mapping[str, Any]]] = []
    stack = _branches(below.get(root, []), '')
    while stack:
        head, indent, joint = stack.pop()
        drawn.append((f'{head}{joint["name"]} → {joint["child"]}', joint))
        stack.extend(_branches(below.get(joint['child'], []), indent))
    width = max((len(line) for line, _ in drawn), default=0)
    return [root, *(f'{line:{width}s}  {describe_joint(joint)}'.rstrip() for line, joint in drawn)]


def _branches(joints: Sequence[Mapping[str, Any]],
              indent: str) -> list[tuple[str, str, Mapping[str, Any]]]:
    """Return (head of the line, indent below it, joint), the last to be drawn first."""
    if len(joints) == 1:
        return [(indent, indent, joints[0])]
    return [(f'{indent}{"└─ " if joint is joints[-1] else "├─ "}',
             f'{indent}{"   " if joint is joints[-1] else "│  "}', joint)
            for joint in reversed(joints)]


def describe_joint(joint: Mapping[str, Any]) -> str:
    """Return type, axis, limits and source of a joint in one line."""
    if 'axis' not in joint:
        return 'fixed'
    unit = 'm' if joint['type'] == 'prismatic' else 'rad'
    words = f'{joint["type"]:10s}  {_axis(joint["axis"]):2s}'
    if joint['lower'] is not None or joint['upper'] is not None:
        words += f'  {_number(joint["lower"], "-∞")} … {_number(joint["upper"], "∞")} {unit}'
    if 'mimic' in joint:
        mimic = joint['mimic']
        words += f'  = {mimic["multiplier"]:g} · {mimic["joint"]}'
        if mimic['offset']:
            words += f' {mimic["offset"]:+g}'
    return words


def _axis(axis: Sequence[float]) -> str:
    name = _AXES.get(tuple(part + 0.0 for part in axis))  # type: ignore[arg-type]
    return name or f'({", ".join(f"{part:.4g}" for part in axis)})'


def _number(value: float | None, otherwise: str) -> str:
    return otherwise if value is None else f'{value:.4g}'
