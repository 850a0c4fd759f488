"""Goals and base poses: the scores of goals, and a picture of them."""

from collections.abc import Sequence
from os import PathLike
from typing import Any

import numpy as np

from ik_node.spatial import inverse
from ik_node.workspace.goals import GoalSet
from ik_node.workspace.placement import Placement

_INK, _MISSED = '#333333', '#c2321b'


def draw_goals(goals: GoalSet, scores: np.ndarray, bases: Sequence[Placement],
               file: str | PathLike[str], title: str) -> None:
    """Save the goals coloured by their scores (k,), and base poses, as PNG.

    From above and in space; goals that are not reached are red crosses.
    """
    from matplotlib.figure import Figure

    sheet = Figure(figsize=(14.0, 6.4), dpi=110, layout='constrained')
    above, space = sheet.add_subplot(1, 2, 1), sheet.add_subplot(1, 2, 2, projection='3d')
    points, met = goals.poses[:, :3, 3], scores > 0.0
    approach = -0.06 * float(np.ptp(points, axis=0).max(initial=0.1)) * goals.poses[:, :3, 2]
    if len(points) <= 200:
        space.quiver(*(points + approach).T, *-approach.T, color='0.6', lw=0.8)
    panels: list[tuple[Any, int]] = [(above, 2), (space, 3)]
    for panel, axes in panels:
        drawn = panel.scatter(*points[met, :axes].T, c=scores[met], cmap='viridis', vmin=0.0,
                              vmax=1.0, s=26, edgecolors='white', linewidths=0.4)
        panel.scatter(*points[~met, :axes].T, color=_MISSED, marker='x', s=30,
                      label=f'not reached: {int((~met).sum())}')
        for number, base in enumerate(bases):
            T = base.T_world_base
            ahead = 0.12 * float(np.ptp(points, axis=0).max(initial=0.1)) * T[:3, 0] + T[:3, 3]
            ends = np.array([T[:3, 3], ahead])[:, :axes].T
            panel.plot(*ends, color='black' if number == 0 else '0.55', lw=2.0 if number == 0
                       else 1.0, marker='s', markevery=[0], ms=8 if number == 0 else 4,
                       label=('base, x axis', 'other base poses', None)[min(number, 2)])
        panel.set(xlabel='x [m]', ylabel='y [m]', aspect='equal')
        panel.grid(visible=True, alpha=0.25)
    sheet.legend(*above.get_legend_handles_labels(), loc='outside lower center', ncols=3,
                 frameon=False)
    space.set_zlabel('z [m]')
    sheet.suptitle(title, color=_INK)
    sheet.colorbar(drawn, ax=[above, space], shrink=0.8,
                   label='score: manipulability over the largest')
    sheet.savefig(file, format='png')


def scores_from(map: Any, goals: np.ndarray, T_world_base: np.ndarray
                ) -> tuple[np.ndarray, np.ndarray]:
    """Return the best scores (k,) of goals (k, t, 4, 4), and the poses (k, 4, 4) that have them."""
    scores = map.score(inverse(T_world_base) @ goals)
    best, each = scores.argmax(axis=1), np.arange(len(goals))
    return scores[each, best], goals[each, best]
