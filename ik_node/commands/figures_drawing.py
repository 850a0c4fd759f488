"""Draws the runs of a figure: the arm frame by frame, and charts over the frames."""

from collections.abc import Sequence
from os import PathLike
from typing import Any

import numpy as np

from ik_node.commands.figures_textbook import FRAMES, Run, TextbookFigure, ends
from ik_node.commands.pictures import INK, dress, save_png

_FAINT = '#8a8a8a'
_RUNS = ('#0072b2', '#d55e00')               # a, b: the path of the tip, and the curves
_ANGLES = ('#009e73', '#a0569b', '#b8860b')  # θ1, θ2, θ3
_ARM = ('#ccd6de', '#1f2d3a')                # at the first frame and at the last
_STYLES = ('-', '--')                        # of the angles of a and of b
_MOST_ARMS = 41
_MARGIN = 0.07                               # of the size, around what is drawn
_WIDTH, _CHART, _HEADS = 10.5, 2.6, 0.75     # inches: the sheet; a chart, titles of a row
_LOWEST, _HIGHEST = 0.35, 1.2                # of a panel, its height over its width
_DPI, _COLOURS = 125, 128


def draw_figure(figure: TextbookFigure, runs: Sequence[Run], reach: float,
                file: str | PathLike[str]) -> None:
    """Save a picture of the runs of a figure as PNG, one for each of its methods.

    reach: the length of the stretched arm. Raises ImportError where matplotlib is missing and
    OSError where the file cannot be written.
    """
    from matplotlib.figure import Figure
    low, high = ends(runs)
    margin = _MARGIN * float((high - low).max())
    low, high = low - margin, high + margin
    aspect = min(max(float((high - low)[1] / (high - low)[0]), _LOWEST), _HIGHEST)
    if len(runs) > 1:
        rows = [['arm0'] * 3 + ['arm1'] * 3, ['distance'] * 2 + ['step'] * 2 + ['angle'] * 2]
        heights = [0.45 * _WIDTH * aspect + _HEADS, _CHART + _HEADS]
    else:
        rows = [['arm0', 'arm0', chart] for chart in ('distance', 'step', 'angle')]
        heights = [max(0.58 * _WIDTH * aspect + _HEADS, 2.2 * _CHART) / 3.0] * 3
    heights.append(0.3)
    sheet = Figure(figsize=(_WIDTH, sum(heights) + _HEADS), dpi=_DPI, layout='constrained')
    mosaic: list[Any] = [*rows, ['legend'] * len(rows[0])]
    axes = sheet.subplot_mosaic(mosaic, gridspec_kw={'height_ratios': heights})
    for k, run in enumerate(runs):
        panel = axes[f'arm{k}']
        panel.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), aspect='equal',
                  xlabel='x [length units]', ylabel='y [length units]' if k == 0 else '')
        label = f'({"ab"[k]}) ' if len(runs) > 1 else ''
        panel.set_title(label + run.method.label, color=_RUNS[k], fontsize=11)
        _draw_arm(panel, run, figure, _RUNS[k], reach)
    _draw_distances(axes['distance'], runs, reach)
    _draw_steps(axes['step'], runs)
    _draw_angles(axes['angle'], runs)
    axes['legend'].axis('off')
    axes['legend'].legend(handles=_legend(runs, reach), loc='center', ncol=4, frameon=False,
                          fontsize=10)
    sheet.suptitle(f'Fig. {figure.number}: {figure.title}', fontsize=14, color=INK)
    (x, y), frames = runs[0].goals[-1], len(runs[0].q) - 1
    source = (f'after [Parent, fig. {figure.number}]: links 15, 10, 5, goal ({x:g}, {y:g}) in '
              f'{frames} frame{"s" if frames > 1 else ""}, one step each')
    sheet.supxlabel(source.replace('-', '−'), fontsize=10, color=INK)
    save_png(sheet, file, _COLOURS)


def _draw_arm(panel: Any, run: Run, figure: TextbookFigure, color: str, reach: float) -> None:
    """Draw the arm at every frame, the frames of the text's panels stronger and numbered."""
    from matplotlib.colors import LinearSegmentedColormap
    from matplotlib.patches import Circle
    shade = LinearSegmentedColormap.from_list('arm', _ARM)
    last = len(run.q) - 1
    marked = {round(of_text * last / FRAMES) for of_text in figure.panels}
    panel.grid(visible=True, alpha=0.25, lw=0.6)
    if _out_of_reach(run, reach):
        panel.add_patch(Circle((0.0, 0.0), reach, fill=False, ls=':', lw=1.0, color=_FAINT))
    for frame in sorted({*range(0, last + 1, _every(run)), *marked}):
        strong = frame in marked
        panel.plot(*run.joints[frame].T, color=shade(frame / last), lw=3.0 if strong else 1.0,
                   marker='o', ms=5.5 if strong else 0.0, mec='white', mew=0.7,
                   solid_capstyle='round', solid_joinstyle='round', zorder=2 + frame / last)
    panel.plot(*run.tips.T, color=color, lw=1.8, marker='o', ms=3.5, markevery=_every(run),
               zorder=4)
    panel.plot(*run.goals.T, color=INK, lw=0.8, ls='--', marker='x', ms=4.5, mew=0.9,
               markevery=_every(run), zorder=5)
    panel.plot(0.0, 0.0, marker='s', ms=9.0, color=INK, zorder=6)
    _number(panel, run, sorted(marked))


def _number(panel: Any, run: Run, frames: Sequence[int]) -> None:
    """Write the numbers of frames beside the tip, each where there is most space."""
    from matplotlib.patheffects import withStroke
    low, high = np.transpose([panel.get_xlim(), panel.get_ylim()])
    unit = 0.04 * float(high[0] - low[0])  # about the size of a number
    angles = np.linspace(0.0, 2.0 * np.pi, 32, endpoint=False)
    around = 1.5 * unit * np.column_stack([np.cos(angles), np.sin(angles)])
    shares = np.linspace(0.0, 1.0, 20)[:, None, None, None]
    lines = [run.tips[None], run.goals[None], run.joints[frames]]
    taken = np.concatenate([((1.0 - shares) * line[:, :-1] + shares * line[:, 1:]).reshape(-1, 2)
                            for line in lines])
    for frame in frames:
        places = run.tips[frame] + around
        places = places[((places > low + 0.6 * unit) & (places < high - 0.6 * unit)).all(axis=1)]
        away = np.linalg.norm(places[:, None] - taken, axis=2).min(axis=1)
        place = places[away.argmax()]
        taken = np.vstack([taken, place + 0.4 * around])
        panel.annotate(str(frame), run.tips[frame], place, ha='center', va='center', fontsize=9,
                       color=INK, zorder=7,
                       path_effects=[withStroke(linewidth=2.5, foreground='white')],
                       arrowprops={'arrowstyle': '-', 'lw': 0.6, 'color': INK, 'shrinkA': 1.0,
                                   'shrinkB': 1.0})


def _every(run: Run) -> int:
    """Return the step from one frame drawn to the next."""
    return -(-(len(run.q) - 1) // (_MOST_ARMS - 1))


def _draw_distances(chart: Any, runs: Sequence[Run], reach: float) -> None:
    if _out_of_reach(runs[0], reach):
        least = (np.linalg.norm(runs[0].goals, axis=1) - reach).clip(0.0)
        chart.plot(least, color=_FAINT, lw=1.2, ls=':', label='the least possible')
        chart.legend(loc='upper left', frameon=False, fontsize=9)
    _draw_curves(chart, 0, [run.distances for run in runs])
    _dress(chart, runs, "distance of the tip from its frame's goal", 'length units')


def _draw_steps(chart: Any, runs: Sequence[Run]) -> None:
    _draw_curves(chart, 1, [np.degrees(run.steps) for run in runs])
    radian = np.degrees(1.0)
    if max(run.longest for run in runs) > 1.0:
        chart.axhline(radian, color=_FAINT, lw=1.0, ls=':')
        chart.annotate('1 rad', (0.02, radian), xycoords=('axes fraction', 'data'), xytext=(0, 3),
                       textcoords='offset points', fontsize=9, color=INK)
    _dress(chart, runs, 'step of the joint that turns most', 'degrees')


def _draw_angles(chart: Any, runs: Sequence[Run]) -> None:
    for run, style in zip(runs, _STYLES):
        for joint, color in enumerate(_ANGLES):
            chart.plot(run.degrees[:, joint], color=color, lw=1.6, ls=style,
                       label=f'θ{joint + 1}' if run is runs[0] else None)
    chart.legend(loc='lower right', bbox_to_anchor=(1.02, 0.97), ncol=3, frameon=False, fontsize=9,
                 handlelength=0.9, columnspacing=0.7, handletextpad=0.3)
    _dress(chart, runs, 'joint angles' if len(runs) == 1 else 'angles, (b) dashed', 'degrees')
    chart.set_xlabel('frame')


def _draw_curves(chart: Any, first: int, curves: Sequence[np.ndarray]) -> None:
    """Draw a curve for each run over the frames from `first` on."""
    for curve, color in zip(curves, _RUNS):
        chart.plot(range(first, first + len(curve)), curve, color=color, lw=1.6, marker='o', ms=3.0)
    chart.set_ylim(0.0, 1.08 * max(curve.max() for curve in curves) or 1.0)


def _dress(chart: Any, runs: Sequence[Run], what: str, unit: str) -> None:
    from matplotlib.ticker import MaxNLocator
    frames = len(runs[0].q) - 1
    chart.set(ylabel=unit, xlim=(-0.02 * frames, 1.02 * frames))
    chart.xaxis.set_major_locator(MaxNLocator(5, integer=True))
    dress(chart, what, 10)
    if len(runs) > 1:
        chart.set_xlabel('frame')


def _legend(runs: Sequence[Run], reach: float) -> list[Any]:
    from matplotlib.lines import Line2D
    names = ('a', 'b') if len(runs) > 1 else ('',)
    circle = [Line2D([], [], color=_FAINT, lw=1.0, ls=':', label=f'reach, {reach:g}')]
    return [Line2D([], [], color=INK, lw=0.8, ls='--', marker='x', ms=4.5, mew=0.9,
                   label="goal path: the goal of every frame"),
            *(Line2D([], [], color=color, lw=1.8, marker='o', ms=3.5,
                     label=f'path of the tip {name and f"({name})"}'.rstrip())
              for name, color in zip(names, _RUNS)),
            *(circle if _out_of_reach(runs[0], reach) else [])]


def _out_of_reach(run: Run, reach: float) -> bool:
    return bool(np.linalg.norm(run.goals[-1]) > reach)
