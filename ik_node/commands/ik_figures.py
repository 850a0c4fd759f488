"""Reproduces the textbook's figures 5.20–5.25 [Parent]: a planar 3R arm follows a goal."""

import argparse
import os
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from textwrap import fill

import numpy as np

from ik_node.commands import figures_textbook as textbook
from ik_node.commands import pictures
from ik_node.commands.figures_drawing import draw_figure
from ik_node.commands.progress import ProgressBar
from ik_node.kinematics.reach import extent
from ik_node.model.readers import read_robot
from ik_node.support.command_line import reporting
from ik_node.support.exceptions import InputError, unknown

_HEAD = ('figure', 'goal', 'method', 'θ1 θ2 θ3 [°]', 'tip', 'largest distance',
         'longest step [rad]')
_LINE = 100  # characters

_Runs = Mapping[str, Sequence[textbook.Run]]


@reporting('ik_figures')
def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code: 2 for errors."""
    options = _arguments(arguments)
    options.markdown, options.out = (next((file for file in options.output if (
        file.suffix == '.md') is is_page), other) for is_page, other in (
            (True, None), (False, Path('figures'))))
    figures = _chosen(options.figure)
    _check_requirements(options)
    chain = read_robot(textbook.ROBOT).chain()
    runs = {figure.number: [
        textbook.run(chain, method, options.goal or figure.goal, options.frames)
        for method in figure.methods] for figure in figures}
    with ProgressBar() as bar:
        for k, figure in enumerate(figures):
            bar(k / len(figures), f'figure {figure.number}')
            draw_figure(figure, runs[figure.number], extent(chain.arrays).reach,
                        options.out / figure.file)
    if options.markdown is not None:
        # The remarks hold for the text's own runs only.
        remarks = options.goal is None and options.frames == textbook.FRAMES
        options.markdown.write_text(
            _page(figures, runs, options.out, options.markdown, remarks), encoding='utf-8')
    print(_table(runs, partial(pictures.text_table, widest=26)))
    print(f'\n{len(figures)} picture{"s" if len(figures) > 1 else ""} in {options.out.absolute()}')
    return 0


def _arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog='ik_figures', description=__doc__)
    parser.add_argument('--output', '--out', '--markdown', metavar='PLACE', type=Path, default=[],
                        action='append', help='folder of the pictures, created if missing '
                        '(default: figures); a file .md: a page with them and the table; may be '
                        'repeated')
    parser.add_argument('--figure', metavar='NUMBER', nargs='+', default=list(textbook.FIGURES),
                        help=f'which of {", ".join(textbook.FIGURES)} (default: all)')
    parser.add_argument('--goal', metavar=('X', 'Y'), nargs=2, type=float,
                        help="goal of the tip (default: each figure's own)")
    parser.add_argument('--frames', metavar='N', type=int, default=textbook.FRAMES,
                        help=f'number of steps (default: {textbook.FRAMES})')
    return parser.parse_args(arguments)


def _chosen(numbers: Sequence[str]) -> list[textbook.TextbookFigure]:
    """Return the figures of these numbers, in the text's order."""
    for number in numbers:
        if number not in textbook.FIGURES:
            raise InputError(unknown('figure', number, textbook.FIGURES))
    return [figure for number, figure in textbook.FIGURES.items() if number in numbers]


def _check_requirements(options: argparse.Namespace) -> None:
    """Check requirements before the computation, and create the folder."""
    pictures.check_matplotlib('the pictures need')
    pictures.check_folder(options.markdown)
    options.out.mkdir(parents=True, exist_ok=True)


def _table(runs: _Runs, table: Callable[..., str]) -> str:
    """Return how the runs ended as a table of a kind."""
    return _minus(table(_HEAD, [
        (f'{number} ({"ab"[k]})' if len(of_figure) > 1 else number,
         '({:g}, {:g})'.format(*each.goals[-1]), each.method.label, _spaced(each.end, 1),
         _spaced(each.tips[-1], 3), f'{each.largest:.3f}', f'{each.longest:.3f}')
        for number, of_figure in runs.items() for k, each in enumerate(of_figure)]))


def _page(figures: Sequence[textbook.TextbookFigure], runs: _Runs, folder: Path, page: Path,
          remarks: bool) -> str:
    """Return a page of the pictures, what to see in each of them, and the table."""
    place = Path(os.path.relpath(folder, page.absolute().parent)).as_posix()
    paragraphs = ["# The textbook's figures", fill(
        'A planar arm of three links, 15, 10 and 5 long, follows a goal that moves on a straight '
        'line from the tip at q = (π/8, π/4, π/4) to its end, as in figures 5.20 to 5.25 of '
        'Parent ([references](references.md)). Every frame takes one bare step of the method '
        '(`solver.step`), for the position only. `ik_figures --output` made this page and its '
        'pictures.', _LINE), fill(
        'The arm is drawn at every frame, light at the first and dark at the last; the frames that '
        'the text shows are stronger, and numbered. The charts show the distance of the tip from '
        "its frame's goal, the largest step of a joint, and the joint angles.", _LINE)]
    for figure in figures:
        of_figure = runs[figure.number]
        paragraphs += [f'## {figure.number}: {figure.title}',
                       f'![Figure {figure.number}]({place}/{figure.file})']
        if remarks:
            remark = figure.remark.format(**dict(zip('ab', of_figure)))
            paragraphs.append(fill(_minus(remark), _LINE))
    paragraphs += ['## After the last frame', _table(runs, pictures.markdown_table), fill(
        'Lengths are in the unit of the links. The largest distance is that of the tip from a '
        "frame's goal over all frames, the longest step that of any joint.", _LINE)]
    return '\n\n'.join(paragraphs) + '\n'


def _spaced(values: np.ndarray, digits: int) -> str:
    """Return numbers with spaces between; no zero is negative."""
    return ' '.join(f'{round(float(value), digits) + 0.0:.{digits}f}' for value in values)


def _minus(text: str) -> str:
    """Return a text with the sign of a minus before its negative numbers."""
    return re.sub(r'-(?=\d)', '−', text)
