"""Compares all methods on the same goals and the same path: success, iterations, smoothness, time.

By default on the textbook's planar arm and on an arm of seven joints.
"""

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

from ik_node.commands import comparison
from ik_node.commands.comparison_page import ROBOTS, as_page, as_text, draw_joints
from ik_node.commands.figures_textbook import ROBOT
from ik_node.commands.pictures import check_folder, check_matplotlib
from ik_node.commands.progress import ProgressBar
from ik_node.model.readers import FORMATS, read_robot
from ik_node.support.command_line import number, reporting
from ik_node.support.exceptions import IkError
from ik_node.support.resources import robot_file


@reporting('ik_compare')
def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code: 2 for errors."""
    options = _arguments(arguments)
    png, page = (next((file for file in options.output if (file.suffix == '.png') is is_png),
                      None) for is_png in (True, False))
    if png is not None:
        check_matplotlib('the picture needs')
    for file in options.output:
        check_folder(file)
    measured = {}
    for robot in options.robots:
        chain = read_robot(robot).chain(options.base, options.tip)
        problem = (comparison.textbook(chain, options.goals, options.seed) if robot == ROBOT
                   else comparison.general(robot_file(robot).stem, chain, options.goals,
                                           options.seed))
        measured[problem.name] = problem, *_measured(problem, options.repeats)
    if png is not None:
        draw_joints(measured, png)
    if page is not None:
        picture = None if png is None else Path(os.path.relpath(
            png, page.absolute().parent)).as_posix()
        page.write_text(as_page(measured, picture, options.goals), encoding='utf-8')
    print(as_text(measured))
    return 0


def _arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog='ik_compare', description=__doc__,
                                     epilog='docs/comparison.md explains the figures.')
    parser.add_argument('robots', metavar='ROBOT', nargs='*', default=list(ROBOTS),
                        help=f'a file, {FORMATS}, or one of the robots of this package (default: '
                        f'{" ".join(ROBOTS)})')
    parser.add_argument('--base', metavar='LINK', help='base link of the arm (default: the root)')
    parser.add_argument('--tip', metavar='LINK', help='tip link of the arm')
    parser.add_argument('--goals', metavar='N', type=number(int, 1), default=200,
                        help='goals an arm (default: 200)')
    parser.add_argument('--repeats', metavar='N', type=number(int, 1), default=3,
                        help='solves of each goal, of which the quickest counts (default: 3)')
    parser.add_argument('--seed', metavar='N', type=number(int, 0), default=0, help='of the goals')
    parser.add_argument('--output', '--png', metavar='FILE', type=Path, action='append', default=[],
                        help='also write a Markdown page (.md), or draw the joints along the path '
                        '(.png, needs matplotlib); may be repeated')
    return parser.parse_args(arguments)


def _measured(problem: comparison.ComparisonProblem,
              repeats: int) -> tuple[list[comparison.Row], dict[str, str]]:
    """Return what is measured of all methods, and why others are left out; show the progress."""
    rows, left_out, methods = [], {}, comparison.methods()
    with ProgressBar() as bar:
        for k, method in enumerate(methods):
            bar(k / len(methods), f'{problem.name}: {method.label}')
            try:
                rows.append(comparison.measure(problem, method, repeats))
            except IkError as error:
                left_out[method.label] = ' '.join(str(error).split())
    return rows, left_out
