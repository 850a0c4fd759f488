"""Tables and pictures of compared methods, and a page with the summary of Bařinka & Berka."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from textwrap import fill

from ik_node.commands.comparison import RESTARTS, SPARSER, TOLERANCE, ComparisonProblem, Row
from ik_node.commands.figures_textbook import FRAMES
from ik_node.commands.pictures import INK, dress, markdown_table, save_png, text_table

Measured = Mapping[str, tuple[ComparisonProblem, Sequence[Row], Mapping[str, str]]]
"""By the name of an arm: the problem, what was measured, and {method: reason} of those left out."""

_GOALS = ('method', 'first attempt, met %', 'with restarts, met %', 'iterations',
          'the others miss by, % of the arm', 'median ms', 'p99 ms')
_PATH = ('method', 'frames met', 'largest step', 'rms step', 'rms second difference',
         'one bare step a frame: off by, m', f'one every {SPARSER} frames: off by, m')
_LINE = 120  # characters
_COLUMNS = 4
_WIDTH, _HEIGHT = 2.9, 2.1   # inches: of a panel
_DPI, _COLOURS = 110, 96
_TO_READ = ('pseudoinverse', 'dls', 'transpose', 'ccd', 'optimization', 'genetic',
            'genetic, no local search', 'analytic')
ROBOTS = ('planar_3r', 'arm_7r')


def as_text(measured: Measured) -> str:
    """Return the tables for a terminal."""
    parts = []
    for name, (problem, rows, left_out) in measured.items():
        parts.append(f'{name}: {len(problem.goals)} goals, {len(problem.path) - 1} frames')
        parts += [text_table(head, lines) for head, lines in _tables(rows) if lines]
        parts += [fill(line, 100) for line in _left_out(left_out)]
    return '\n\n'.join(parts)


def as_page(measured: Measured, picture: str | None, goals: int) -> str:
    """Return a page; the reading of the summary needs the arms of ROBOTS.

    picture: the link to it, or None.
    """
    parts = ['# The methods side by side', fill(
        f'{goals} goals an arm are forward kinematics of joint values drawn evenly from the '
        'limits; each starts from joint values drawn likewise, the same for all methods. A goal is '
        f'met within {TOLERANCE:g} rad and {TOLERANCE:g} of the length of the arm, by forward '
        f'kinematics. With restarts, up to {RESTARTS} follow a failed attempt. Iterations are the '
        'median of first attempts that succeed, as the method counts them: steps, sweeps, '
        'generations; 0 for a closed form. Times are of single solves from Python with restarts, '
        'each the least of some repeats; only their ratios are portable.', _LINE), fill(
        f'The path is a straight line of the tip in {FRAMES} frames. Each frame is solved from the '
        'solution before; steps are those of the joints from frame to frame, rad or m, and second '
        'differences measure how uneven they are. Then each frame takes one bare step of '
        f'the method (`solver.step`) instead, and finally only every {SPARSER}th frame, with steps '
        f'{SPARSER} times as long.', _LINE),
        '`ik_compare --output docs/comparison.md --output docs/pictures/comparison.png` made this '
        'page.']
    for name, (problem, rows, left_out) in measured.items():
        parts.append(f'## {name}\n\n{_described(problem)}')
        parts += [markdown_table(head, lines) for head, lines in _tables(rows)]
        parts += _left_out(left_out)
    if picture is not None:
        parts += ['## The joints along the path', f'![Joint values along the path]({picture})']
    if set(ROBOTS) <= measured.keys():
        parts += _reading(*({row.method.label: row for row in measured[name][1]}
                            for name in ROBOTS))
    return '\n\n'.join(parts) + '\n'


def _described(problem: ComparisonProblem) -> str:
    axes = [axis for axis, weight in zip(('x', 'y', 'z', 'rx', 'ry', 'rz'), problem.path[0].weights)
            if weight > 0.0]
    length = float(math.dist(problem.path[0].pose[:3, 3], problem.path[-1].pose[:3, 3]))
    return fill(f'{problem.chain.n_joints} joints; goals constrain {", ".join(axes)}. The arm is '
                f'{problem.length:.3g} m long, the path {length:.3g} m.', _LINE)


def _tables(rows: Sequence[Row]) -> list[tuple[Sequence[str], list[list[str]]]]:
    goals = [[row.method.label, f'{100.0 * row.first:.1f}', f'{100.0 * row.met:.1f}',
              _number(row.iterations, 'g'), _number(100.0 * row.missed_by, '.2g'),
              f'{row.median:.3f}', f'{row.p99:.3f}'] for row in rows]
    path = [[row.method.label, str(row.frames_met), f'{row.largest:.3f}', f'{row.typical:.4f}',
             f'{row.roughness:.5f}', _number(row.tracking, '.3f'), _number(row.sparse, '.3f')]
            for row in rows]
    return [(_GOALS, goals), (_PATH, path)]


def _number(value: float | None, spec: str) -> str:
    return '–' if value is None or math.isnan(value) else f'{value:{spec}}'


def _left_out(reasons: Mapping[str, str]) -> list[str]:
    return [f'- {method} is left out: {reason}' for method, reason in reasons.items()]


def _reading(planar: Mapping[str, Row], spatial: Mapping[str, Row]) -> list[str]:
    """Return the summary of Bařinka & Berka (their 3.3) beside the figures of both arms."""
    if any(name not in planar or name not in spatial for name in _TO_READ):
        return []

    def both(name: str, value: str, spec: str) -> str:
        return ' and '.join(format(getattr(rows[name], value), spec) for rows in (planar, spatial))

    def over(name: str, reference: str, value: str) -> str:
        ratios = [getattr(rows[name], value) / max(getattr(rows[reference], value), 1e-9)
                  for rows in (planar, spatial)]
        return ' and '.join(f'{one:.0f}' if one >= 10.0 else f'{one:.2g}' for one in ratios)
    claims = [
        ('Algebraic: no solution for every structure; several, hence not continuous.',
         f'`analytic` meets {both("analytic", "met", ".0%")} of the goals. Its largest step on the '
         f'path is {both("analytic", "largest", ".3f")}, that of `dls` '
         f'{both("dls", "largest", ".3f")}: the branch nearest to the present one is returned.'),
        ('Jacobian inversion: tracking errors where the change is too large; divide the path into '
         'smaller steps.',
         f'One bare step a frame leaves the tip {both("pseudoinverse", "tracking", ".3g")} m off; '
         f'with steps {SPARSER} times as long the error is {_growth(planar)} and '
         f'{_growth(spatial)} times as large; a second-order error grows by {SPARSER ** 2}.'),
        ('Near singular states high velocities and oscillations occur.',
         f'The first attempt of `pseudoinverse` meets {both("pseudoinverse", "first", ".0%")}, '
         f'that of `dls` {both("dls", "first", ".0%")}. See figure 5.21 in '
         '[figures.md](figures.md).'),
        ('It behaves like rubber, and is fast for small structures.',
         f'rms second difference {both("pseudoinverse", "roughness", ".2g")}; '
         f'{both("pseudoinverse", "median", ".2g")} ms a goal.'),
        ('Optimisation: jams in local minima; the time may be high; the minimizer is a plug-in.',
         f'The first attempt meets {both("optimization", "first", ".0%")}, with restarts '
         f'{both("optimization", "met", ".0%")}, in {over("optimization", "dls", "median")} times '
         'the time of `dls`. `minimizer` takes any function.'),
        ('CCD: few passes are enough for simple structures; slower for others.',
         f'{both("ccd", "iterations", "g")} sweeps; the first attempt meets '
         f'{both("ccd", "first", ".0%")}.'),
        ('CCD moves like a chain, not like rubber; it is free of singularities.',
         f'rms second difference {over("ccd", "pseudoinverse", "roughness")} times that of '
         f'`pseudoinverse`, largest step {over("ccd", "pseudoinverse", "largest")} times.'),
        ('Genetic: very slow, and a solution is not guaranteed.',
         f'Pure evolution meets {both("genetic, no local search", "met", ".0%")} in '
         f'{over("genetic, no local search", "dls", "median")} times the time of `dls`; with local '
         f'search {both("genetic", "met", ".0%")} in {over("genetic", "dls", "median")} times.'),
        ('Transposition: no inversion; singularities and ill conditioning remain.',
         f'{both("transpose", "iterations", "g")} steps, against '
         f'{both("pseudoinverse", "iterations", "g")} of `pseudoinverse`; the first attempt meets '
         f'{both("transpose", "first", ".0%")}.')]
    return ['## The summary of Bařinka & Berka', fill(
        'What their section 3.3 says of each method, and what was measured; the first number is of '
        'the planar arm, the second of the arm with seven joints. See [references.md]'
        '(references.md).', _LINE, break_on_hyphens=False, break_long_words=False),
        markdown_table(('they say', 'measured'), claims)]


def _growth(rows: Mapping[str, Row]) -> str:
    row = rows['pseudoinverse']
    return f'{(row.sparse or 0.0) / max(row.tracking or 0.0, 1e-12):.0f}'


def draw_joints(measured: Measured, file: Path) -> None:
    """Save a PNG with a panel for each method and arm: all joints over the frames of the path.

    A legend below the panels of an arm names its joints.

    Raises ImportError where matplotlib is missing and OSError where the file cannot be written.
    """
    from matplotlib.figure import Figure
    rows = {name: -(-len(found) // _COLUMNS) for name, (_, found, _) in measured.items()}
    sheet = Figure(figsize=(_COLUMNS * _WIDTH, sum(rows.values()) * _HEIGHT + 0.5 * len(rows)),
                   dpi=_DPI, layout='constrained')
    parts = sheet.subfigures(len(rows), 1, squeeze=False, height_ratios=list(rows.values()))
    for part, (name, (problem, found, _)) in zip(parts[:, 0], measured.items()):
        part.suptitle(f'{name}: joint values along the path, rad', color=INK, fontsize=12)
        panels = part.subplots(rows[name], _COLUMNS, sharex=True, sharey=True,
                               squeeze=False).ravel()
        for panel, row in zip(panels, found):
            panel.plot(row.q, lw=1.2, marker='o', ms=2.0)
            dress(panel, row.method.label, 9)
        for panel in panels[len(found):]:
            panel.axis('off')
        part.legend(panels[0].lines, problem.chain.joint_names, frameon=False,
                    loc='outside lower center', ncols=_COLUMNS * 2, fontsize=9)
    save_png(sheet, file, _COLOURS)
