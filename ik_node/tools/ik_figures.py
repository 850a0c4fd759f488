"""Remakes the textbook's figures 5.20–5.25 [Parent]: a planar 3R arm follows a goal, by method."""

import argparse
import os
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from textwrap import fill

import numpy as np

from ik_node.exceptions import IkError, InputError, unknown
from ik_node.model.files import read_robot
from ik_node.resources import robot_file
from ik_node.tools.figures_drawing import draw_figure
from ik_node.tools.figures_textbook import FIGURES, FRAMES, ROBOT, Figure, Run, reach, run

_HEAD = ('figure', 'goal', 'method', 'θ1 θ2 θ3 [°]', 'tip', 'largest distance',
         'longest step [rad]')
_LINE = 100  # characters

_Runs = Mapping[str, Sequence[Run]]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code: 2 for what cannot be done."""
    given = _arguments(arguments)
    try:
        figures = _chosen(given.figure)
        _look_ahead(given)
        chain = read_robot(robot_file(ROBOT)).chain()
        runs = {figure.number: [run(chain, method, given.goal or figure.goal, given.frames)
                                for method in figure.methods] for figure in figures}
        for figure in figures:
            draw_figure(figure, runs[figure.number], reach(chain), given.out / figure.file)
        if given.markdown is not None:
            # What the remarks say is true of the text's own runs only.
            remarks = given.goal is None and given.frames == FRAMES
            given.markdown.write_text(_page(figures, runs, given.out, given.markdown, remarks),
                                      encoding='utf-8')
    except (IkError, OSError, _MissingError) as error:
        print(f'ik_figures: {error}', file=sys.stderr)
        return 2
    print('\n'.join(_table(runs)))
    print(f'\n{len(figures)} picture{"s" if len(figures) > 1 else ""} in {given.out.absolute()}')
    return 0


class _MissingError(Exception):
    """Something that is to be installed first."""


def _arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog='ik_figures', description=__doc__)
    parser.add_argument('--out', metavar='FOLDER', type=Path, default=Path('figures'),
                        help='where the pictures go; made where it is missing (default: figures)')
    parser.add_argument('--figure', metavar='NUMBER', nargs='+', default=list(FIGURES),
                        help=f'which of {", ".join(FIGURES)} (default: all)')
    parser.add_argument('--goal', metavar=('X', 'Y'), nargs=2, type=float,
                        help="where the tip is to go (default: each figure's own)")
    parser.add_argument('--frames', metavar='N', type=int, default=FRAMES,
                        help=f'in how many steps (default: {FRAMES})')
    parser.add_argument('--markdown', metavar='FILE', type=Path,
                        help='write a page of the pictures and the table, too')
    return parser.parse_args(arguments)


def _chosen(numbers: Sequence[str]) -> list[Figure]:
    """Return the figures of these numbers, in the text's order."""
    for number in numbers:
        if number not in FIGURES:
            raise InputError(unknown('figure', number, FIGURES))
    return [figure for number, figure in FIGURES.items() if number in numbers]


def _look_ahead(given: argparse.Namespace) -> None:
    """Find out before the work what would fail after it, and make the folder."""
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError as error:
        raise _MissingError(f'the pictures need matplotlib ({error}): pip install matplotlib'
                            ) from error
    try:
        given.out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OSError(f'{given.out.absolute()} cannot be made a folder for the pictures: '
                      f'{error.strerror}') from error
    if not os.access(given.out, os.W_OK | os.X_OK):
        raise OSError(f'{given.out.absolute()} cannot be written to')
    if given.markdown is not None and not given.markdown.absolute().parent.is_dir():
        raise FileNotFoundError(f'there is no folder {given.markdown.absolute().parent} to save '
                                f'{given.markdown.name} in')


def _table(runs: _Runs) -> list[str]:
    """Return how the runs ended as the lines of a markdown table."""
    lines = [f'| {" | ".join(_HEAD)} |', '|---' * len(_HEAD) + '|']
    for number, of_figure in runs.items():
        for k, each in enumerate(of_figure):
            x, y = each.goals[-1]
            row = (_part(number, k, of_figure), f'({x:g}, {y:g})', each.method.label,
                   _spaced(each.end, 1), _spaced(each.tips[-1], 3), f'{each.largest:.3f}',
                   f'{each.longest:.3f}')
            lines.append(_minus(f'| {" | ".join(row)} |'))
    return lines


def _page(figures: Sequence[Figure], runs: _Runs, folder: Path, page: Path, remarks: bool) -> str:
    """Return a page of the pictures, what to see in each of them, and the table."""
    pictures = Path(os.path.relpath(folder, page.absolute().parent)).as_posix()
    paragraphs = ["# The textbook's figures", fill(
        'A planar arm of three links, 15, 10 and 5 long, follows a goal that goes the straight way '
        'from the tip at q = (π/8, π/4, π/4) to where it is to end, as in figures 5.20 to 5.25 of '
        'Parent ([references](references.md)). Every frame takes one bare step of the method '
        '(`solver.step`), for the position only. `ik_figures --markdown` made this page and its '
        'pictures.', _LINE), fill(
        'The arm is drawn at every frame, light at the first and dark at the last; the frames that '
        'the text shows are stronger, and numbered. The charts tell how far the tip is from its '
        "frame's goal, how far the joint turns that turns most, and the joint angles.", _LINE)]
    for figure in figures:
        of_figure = runs[figure.number]
        paragraphs += [f'## {figure.number}: {figure.title}',
                       f'![Figure {figure.number}]({pictures}/{figure.file})']
        if remarks:
            remark = figure.remark.format(**dict(zip('ab', of_figure)))
            paragraphs.append(fill(_minus(remark), _LINE))
    paragraphs += ['## After the last frame', '\n'.join(_table(runs)), fill(
        'Lengths are in the unit of the links. The largest distance is that of the tip from a '
        "frame's goal on the way, the longest step that of any joint.", _LINE)]
    return '\n\n'.join(paragraphs) + '\n'


def _part(number: str, k: int, of_figure: Sequence[Run]) -> str:
    return f'{number} ({"ab"[k]})' if len(of_figure) > 1 else number


def _spaced(values: np.ndarray, digits: int) -> str:
    """Return numbers with spaces between; no zero is negative."""
    return ' '.join(f'{round(float(value), digits) + 0.0:.{digits}f}' for value in values)


def _minus(text: str) -> str:
    """Return a text with the sign of a minus before its negative numbers."""
    return re.sub(r'-(?=\d)', '−', text)


if __name__ == '__main__':
    sys.exit(main())
