"""Prints the tree, joints and limits of a robot, and task axes, reach and solvers of its arms."""

from ik_node.support.signals import end_quietly

if __name__ == '__main__':
    end_quietly()  # before the imports that take long

import argparse
import json
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from ik_node.commands.drawing import draw_tree
from ik_node.commands.inspection import chains_to_show, inspect_chain, inspect_tree
from ik_node.model.readers import FORMATS, read_model
from ik_node.support.exceptions import IkError, ModelError
from ik_node.support.resources import robot_file

_DH_COLUMNS = ('a', 'alpha', 'd', 'theta')


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code: 2 for errors."""
    options = _arguments(arguments)
    try:
        tree = read_model(robot_file(options.robot), _xacro_args(options.xacro_arg),
                          hold_complex_joints=options.hold)
        if options.urdf:
            _print(tree.to_urdf().rstrip('\n'))
            return 0
        chains = [inspect_chain(chain) for chain in chains_to_show(tree, options.base, options.tip)]
    except (IkError, FileNotFoundError) as error:
        print(f'ik_inspect: {error}', file=sys.stderr)
        return 2
    report = {**inspect_tree(tree), 'chains': chains}
    if options.json:
        _print(json.dumps(report, indent=2))
    else:
        _print('\n'.join(_text(report, options.convention)))
    return 0


def _print(text: str) -> None:
    """Print a text; a reader may close the pipe before its end, as `head` does."""
    try:
        print(text, flush=True)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog='ik_inspect', description=__doc__)
    parser.add_argument('robot', help=f'a file: {FORMATS}; or one of the robots of this package')
    parser.add_argument('--base', metavar='LINK', help='base link of the chain')
    parser.add_argument('--tip', metavar='LINK', help='tip link of the chain')
    parser.add_argument('--convention', choices=('standard', 'modified', 'both'),
                        default='standard', help='convention of the Denavit-Hartenberg rows')
    parser.add_argument('--xacro-arg', metavar='NAME:=VALUE', action='append', default=[],
                        help='an argument of the xacro file; may be repeated')
    parser.add_argument('--hold', action='store_true',
                        help='fix planar and floating joints')
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument('--json', action='store_true', help='print everything as JSON')
    shown.add_argument('--urdf', action='store_true', help='print the robot as URDF')
    return parser.parse_args(arguments)


def _xacro_args(pairs: Sequence[str]) -> dict[str, str]:
    split = [pair.partition(':=') for pair in pairs]
    for pair, (name, separator, _) in zip(pairs, split):
        if not separator or not name:
            raise ModelError(f'a xacro argument must be like name:=value, not {pair!r}')
    return {name: value for name, _, value in split}


def _text(report: Mapping[str, Any], convention: str) -> list[str]:
    moving = [joint for joint in report['joints'] if 'axis' in joint]
    follow = sum('mimic' in joint for joint in moving)
    follows = f', {follow} by following another' if follow else ''
    lines = [f'{report["name"]}: {len(report["links"])} links, {len(report["joints"])} joints, '
             f'{len(moving)} of them moving{follows}', '',
             *draw_tree(report['root'], report['joints']), '', _mass(report)]
    for chain in report['chains']:
        lines += ['', *_chain(chain, convention)]
    if report['warnings']:
        lines += ['', 'Odd in the file:', *(f'  {warning}' for warning in report['warnings'])]
    return lines


def _mass(report: Mapping[str, Any]) -> str:
    if not report['inertials']:
        return 'mass: no link has one'
    return (f'mass: {report["mass"]:.6g} kg, of {len(report["inertials"])} of '
            f'{len(report["links"])} links')


def _chain(chain: Mapping[str, Any], convention: str) -> list[str]:
    radius = chain['reach']['radius']
    reach = 'without end' if radius is None else f'at most {radius:.4g} m from the first joint'
    lines = [f'{chain["base_link"]} → {chain["tip_link"]}: {len(chain["joints"])} joints',
             f'  task     {chain["task"]["describe"]}',
             f'  reach    {reach}']
    for k, (name, fit) in enumerate(chain['solvers'].items()):
        head = 'solvers' if k == 0 else ''
        says = ': '.join(filter(None, ('yes' if fit['fits'] else 'no', fit['says'])))
        lines.append(f'  {head:8s} {name:14s} {says}')
    for name in ('standard', 'modified') if convention == 'both' else (convention,):
        lines += _rows(name, chain['dh'][name])
    return lines


def _rows(convention: str, table: Mapping[str, Any]) -> list[str]:
    head = f'  Denavit-Hartenberg rows, {convention}, m and rad'
    if 'error' in table:
        return [f'{head}: {table["error"]}']
    names = [row.get('name', '(fixed)') for row in table['joints']]
    width = max(map(len, names))
    lines = [f'{head}:', f'  {"":{width}s}  ' + ''.join(f'  {key:>12s}' for key in _DH_COLUMNS)]
    for name, row in zip(names, table['joints']):
        moved = {'revolute': 'theta', 'prismatic': 'd'}.get(row['type'])
        cells = ''.join(f'  {_cell(row[key], key == moved):>12s}' for key in _DH_COLUMNS)
        lines.append(f'  {name:{width}s}  {cells}')
    for end in ('base', 'tool'):
        xyz, rpy = (' '.join(f'{value:.6g}' for value in table[end][key])
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


if __name__ == '__main__':
    sys.exit(main())
