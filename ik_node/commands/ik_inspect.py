"""Prints the tree, joints and limits of a robot, and task axes, reach and solvers of its arms."""

import argparse
import json
from collections.abc import Mapping, Sequence
from textwrap import fill
from typing import Any

from ik_node.collision import CollisionModel
from ik_node.commands import inspection
from ik_node.model.readers import FORMATS, read_robot
from ik_node.model.srdf import read_disabled_collisions
from ik_node.model.xacro_expansion import xacro_arguments
from ik_node.support.command_line import reporting

_LINE = 100  # characters
_DH_COLUMNS = ('a', 'alpha', 'd', 'theta')
_AXES = {(1.0, 0.0, 0.0): 'x', (0.0, 1.0, 0.0): 'y', (0.0, 0.0, 1.0): 'z',
         (-1.0, 0.0, 0.0): '-x', (0.0, -1.0, 0.0): '-y', (0.0, 0.0, -1.0): '-z'}


@reporting('ik_inspect')
def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code: 2 for errors."""
    options = _arguments(arguments)
    tree = read_robot(options.robot, xacro_arguments(options.xacro_arg),
                      hold_complex_joints=options.hold,
                      package_folders=options.package_folder)
    if options.urdf:
        print(tree.to_urdf().rstrip('\n'))
        return 0
    chains = [inspection.inspect_chain(chain)
              for chain in inspection.chains_to_show(tree, options.base, options.tip)]
    report = {**inspection.inspect_tree(tree), 'chains': chains}
    if options.collisions or options.srdf:
        report['collisions'] = inspection.inspect_collisions(CollisionModel(
            tree.body(), disabled=read_disabled_collisions(
                options.srdf, tree) if options.srdf else ()).robot)
    if options.json:
        print(json.dumps(report, indent=2))
    else:
        print('\n'.join(_text(report, options.convention)))
    return 0


def _arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog='ik_inspect', description=__doc__)
    parser.add_argument('robot', help=f'a file: {FORMATS}; or one of the robots of this package')
    parser.add_argument('--base', metavar='LINK', help='base link of the chain')
    parser.add_argument('--tip', metavar='LINK', help='tip link of the chain')
    parser.add_argument('--convention', choices=('standard', 'modified', 'both'),
                        default='standard', help='convention of the Denavit-Hartenberg rows')
    parser.add_argument('--xacro-arg', metavar='NAME:=VALUE', action='append', default=[],
                        help='an argument of the xacro file; may be repeated')
    parser.add_argument('--package-folder', metavar='FOLDER', action='append', default=[],
                        help='a folder of ROS packages that the xacro file names; may be repeated')
    parser.add_argument('--hold', action='store_true',
                        help='fix planar and floating joints')
    parser.add_argument('--collisions', action='store_true',
                        help='print the shapes and the pairs of links for collision checks, too')
    parser.add_argument('--srdf', metavar='FILE',
                        help='the same, with the pairs that an SRDF disables')
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument('--json', action='store_true', help='print everything as JSON')
    shown.add_argument('--urdf', action='store_true', help='print the robot as URDF')
    return parser.parse_args(arguments)


def _text(report: Mapping[str, Any], convention: str) -> list[str]:
    moving = [joint for joint in report['joints'] if 'axis' in joint]
    follow = sum('mimic' in joint for joint in moving)
    follows = f', {follow} by following another' if follow else ''
    mass = (f'mass: {report["mass"]:.6g} kg, of {len(report["inertials"])} of '
            f'{len(report["links"])} links' if report['inertials'] else 'mass: no link has one')
    lines = [f'{report["name"]}: {len(report["links"])} links, {len(report["joints"])} joints, '
             f'{len(moving)} of them moving{follows}', '',
             *_draw_tree(report['root'], report['joints']), '', mass]
    for chain in report['chains']:
        lines += ['', *_chain(chain, convention)]
    if 'collisions' in report:
        lines += ['', *_collisions(report['collisions'])]
    if report['warnings']:
        lines += ['', 'Odd in the file:',
                  *(_folded(f'  {warning}', 4) for warning in report['warnings'])]
    return lines


def _folded(line: str, indent: int) -> str:
    return fill(line, _LINE, subsequent_indent=' ' * indent, break_on_hyphens=False)


def _draw_tree(root: str, joints: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the lines of a drawing, each with a joint and its child link.

    joints: as `inspection.inspect_tree` returns them. Each line continues the one above it;
    branches are drawn only for several children, so that a long arm is not indented.
    """
    below: dict[str, list[Mapping[str, Any]]] = {}
    for joint in joints:
        below.setdefault(joint['parent'], []).append(joint)
    drawn: list[tuple[str, str, Mapping[str, Any]]] = []
    stack = _branches(below.get(root, []), '')
    while stack:
        head, indent, joint = stack.pop()
        drawn.append((f'{head}{joint["name"]} → {joint["child"]}', indent, joint))
        stack.extend(_branches(below.get(joint['child'], []), indent))
    column = min(max((len(line) for line, _, _ in drawn), default=0), _LINE // 2)
    lines = [root]
    for line, indent, joint in drawn:
        text = _describe_joint(joint)
        if len(line) > _LINE:
            lines.append(line.partition(' → ')[0])
            line = f'{indent}→ {joint["child"]}'
        if len(line) + 2 + len(text) > _LINE:
            lines.append(line)
            line = indent
        place = max(min(column, _LINE - 2 - len(text)), 0)
        lines.append(f'{line:{place}s}  {text}'.rstrip())
    return lines


def _branches(joints: Sequence[Mapping[str, Any]],
              indent: str) -> list[tuple[str, str, Mapping[str, Any]]]:
    """Return (head of the line, indent below it, joint), the last to be drawn first."""
    if len(joints) == 1:
        return [(indent, indent, joints[0])]
    return [(f'{indent}{"└─ " if joint is joints[-1] else "├─ "}',
             f'{indent}{"   " if joint is joints[-1] else "│  "}', joint)
            for joint in reversed(joints)]


def _describe_joint(joint: Mapping[str, Any]) -> str:
    """Return type, axis, limits and source of a joint in one line."""
    if 'axis' not in joint:
        return 'fixed'
    unit = 'm' if joint['type'] == 'prismatic' else 'rad'
    description = f'{joint["type"]:10s}  {_axis(joint["axis"]):2s}'
    if joint['lower'] is not None or joint['upper'] is not None:
        description += f'  {_number(joint["lower"], "-∞")} … {_number(joint["upper"], "∞")} {unit}'
        description += ' (soft limits)' if 'soft_limits' in joint else ''
    if 'mimic' in joint:
        mimic = joint['mimic']
        factor = '' if mimic['multiplier'] == 1.0 else f'{mimic["multiplier"]:.4g} · '
        description += f'  = {factor}{mimic["joint"]}'
        if mimic['offset']:
            description += f' {mimic["offset"]:+.4g}'
    return description


def _axis(axis: Sequence[float]) -> str:
    name = _AXES.get(tuple(part + 0.0 for part in axis))  # type: ignore[arg-type]
    return name or f'({", ".join(f"{part:.4g}" for part in axis)})'


def _number(value: float | None, otherwise: str) -> str:
    return otherwise if value is None else f'{value:.4g}'


def _chain(chain: Mapping[str, Any], convention: str) -> list[str]:
    radius = chain['reach']['radius']
    reach = 'without end' if radius is None else f'at most {radius:.4g} m from the first joint'
    lines = [f'{chain["base_link"]} → {chain["tip_link"]}: {len(chain["joints"])} joints',
             _folded(f'  task     {chain["task"]["describe"]}', 11),
             f'  reach    {reach}']
    head = 'solvers'
    for name, fit in chain['solvers'].items():
        says = ': '.join(filter(None, ('yes' if fit['fits'] else 'no', fit['says'])))
        lines.append(_folded(f'  {head:8s} {name:14s} {says}', 26))
        head = ''
    for name in ('standard', 'modified') if convention == 'both' else (convention,):
        lines += _rows(name, chain['dh'][name])
    return lines


def _collisions(found: Mapping[str, Any]) -> list[str]:
    lines = ['collision shapes:']
    width = max((len(one['link']) for one in found['shapes']), default=0)
    for one in found['shapes']:
        size = f', {one["vertices"]} vertices' if one['vertices'] else ''
        excess = one['excess']
        by = (', how far beyond the mesh is known with coal' if excess is None else
              f', up to {1e3 * excess:.3g} mm beyond it' if excess else '')
        lines.append(_folded(f'  {one["link"]:{width}s}  {one["shape"]}{size}{by}'
                             + (', of the visual shapes' if one['visual'] else ''), width + 4))
    lines.append(f'pairs of links that are checked: {len(found["checked"])}')
    for why, pairs in found['left_out'].items():
        if pairs:
            lines.append(f'left out, {why}: {len(pairs)}')
            lines += [f'  {first}, {second}' for first, second in pairs]
    return lines


def _rows(convention: str, table: Mapping[str, Any]) -> list[str]:
    head = f'  Denavit-Hartenberg rows, {convention}, m and rad'
    if 'error' in table:
        return [_folded(f'{head}: {table["error"]}', 4)]
    names = [row.get('name', '(fixed)') for row in table['joints']]
    width = max(map(len, names))
    lines = [f'{head}:', f'  {"":{width}s}  ' + ''.join(f'  {key:>12s}' for key in _DH_COLUMNS)]
    for name, row in zip(names, table['joints']):
        moved = {'revolute': 'theta', 'prismatic': 'd'}.get(row['type'])
        cells = ''.join(f'  {_cell(row[key], key == moved):>12s}' for key in _DH_COLUMNS)
        lines.append(f'  {name:{width}s}  {cells}')
    for end in ('base', 'tool'):
        xyz, rpy = (' '.join(_cell(value, False) for value in table[end][key])
                    for key in ('xyz', 'rpy'))
        lines.append(f'  {end:{width}s}  xyz {xyz}, rpy {rpy}')
    return lines


def _cell(value: float, moved: bool) -> str:
    """Return a parameter, with q where the joint value is added."""
    value = round(value, 9) + 0.0
    text = f'{value:.6g}'
    if not moved:
        return text
    return 'q' if value == 0.0 else f'q {"-" if value < 0.0 else "+"} {text.lstrip("-")}'
