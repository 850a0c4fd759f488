"""Pictures of an arm along its path, and of a figure."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np

mpl.use('Agg')

from matplotlib import pyplot as plt

from ik_node.model.chain import Chain
from ik_node.model.tree import KinematicTree

_PLANAR = 1e-6  # of the arm's size: what counts as a plane
_MOST_DRAWN = 50
_FIGURES_DRAWN = 5
_BONES = mpl.colormaps['viridis']


def draw_motion(chain: Chain, configurations: Sequence[Mapping[str, float]], goals: np.ndarray,
                title: str, file: Path) -> None:
    """Save a picture of the configurations (k) of an arm at its goals.

    configurations: {joint: value}, rad or m; goals: (k, 4, 4) T_base_goal, m. At most _MOST_DRAWN
    of them are drawn, evenly spaced.
    """
    every = -(-len(configurations) // _MOST_DRAWN)
    configurations, goals = configurations[::every], goals[::every]
    bones = np.array([_bones(chain, configuration) for configuration in configurations])
    tips = bones[:, -1]
    size = float(np.ptp(bones.reshape(-1, 3), axis=0).max()) or 1.0
    planar = np.ptp(bones[..., 2]) < _PLANAR * size
    figure = plt.figure(figsize=(9.0, 9.0), dpi=130)
    axes: Any = figure.add_subplot() if planar else figure.add_subplot(projection='3d')
    used = slice(0, 2) if planar else slice(0, 3)
    for i, bone in enumerate(bones):
        share = i / max(len(bones) - 1, 1)
        axes.plot(*bone[:, used].T, color=_BONES(share), lw=3.0 if i == len(bones) - 1 else 1.6,
                  alpha=0.35 + 0.65 * share ** 2, marker='o', ms=4.0, solid_capstyle='round')
    axes.plot(*tips[:, used].T, color='tab:red', lw=1.0, ls=':')
    axes.scatter(*goals[:, :3, 3][:, used].T, marker='x', s=36.0, color='tab:red', label='goals')
    for T in goals:
        for column, color in zip(T[:3, :3].T, ('tab:red', 'tab:green', 'tab:blue')):
            axis = np.array([T[:3, 3], T[:3, 3] + 0.05 * size * column])
            axes.plot(*axis[:, used].T, color=color, lw=1.0)
    _frame(axes, bones.reshape(-1, 3), planar)
    axes.set_title(title)
    axes.legend(loc='upper right')
    figure.savefig(file, bbox_inches='tight')
    plt.close(figure)


def draw_figure(tree: KinematicTree, places: Sequence[Mapping[str, np.ndarray]],
                goals: Sequence[np.ndarray], title: str, file: Path) -> None:
    """Save a picture of the configurations of a whole tree at its goals.

    places: {link: T_world_link (4, 4)}, m, of each; goals: (4, 4) or (3,) each, m. At most
    _FIGURES_DRAWN of them are drawn, evenly spaced, and no goals far away, such as those of a gaze.
    """
    every = -(-len(places) // _FIGURES_DRAWN)
    figure = plt.figure(figsize=(9.0, 9.0), dpi=130)
    axes: Any = figure.add_subplot(projection='3d')
    points = []
    drawn = places[len(places) - 1::-every][::-1]  # the last one in any case
    for i, place in enumerate(drawn):
        share = i / max(len(drawn) - 1, 1)
        for joint in tree.joints.values():
            bone = np.array([place[joint.parent][:3, 3], place[joint.child][:3, 3]])
            points.append(bone)
            axes.plot(*bone.T, color=_BONES(share), lw=4.0 if i == len(drawn) - 1 else 2.0,
                      alpha=0.25 + 0.75 * share ** 3, solid_capstyle='round')
    marks = np.array([goal[:3, 3] if goal.shape == (4, 4) else goal for goal in goals])
    bones = np.concatenate(points)
    near = np.abs(marks - bones.mean(axis=0)).max(axis=1) < 0.5 * np.ptp(bones, axis=0).max()
    axes.scatter(*marks[near].T, marker='x', s=36.0, color='tab:red', label='goals')
    _frame(axes, bones, planar=False)
    axes.set_title(title)
    axes.legend(loc='upper right')
    figure.savefig(file, bbox_inches='tight')
    plt.close(figure)


def _bones(chain: Chain, configuration: Mapping[str, float]) -> np.ndarray:
    """Return the origins of the links from the base to the tip, (k, 3), m, base frame."""
    T_root_link = chain.tree.forward(configuration)
    T_base_root = np.linalg.inv(T_root_link[chain.base_link])
    return np.array([(T_base_root @ T_root_link[link])[:3, 3] for link in chain.links])


def _frame(axes: Any, points: np.ndarray, planar: bool) -> None:
    """Set the same scale for every axis, and a margin."""
    low, high = points.min(axis=0), points.max(axis=0)
    centre, half = 0.5 * (low + high), 0.55 * max(float((high - low).max()), 1e-9)
    axes.set_xlim(centre[0] - half, centre[0] + half)
    axes.set_ylim(centre[1] - half, centre[1] + half)
    axes.set_xlabel('x [m]')
    axes.set_ylabel('y [m]')
    axes.grid(visible=True, alpha=0.3)
    if planar:
        axes.set_aspect('equal')
    else:
        axes.set_zlim(centre[2] - half, centre[2] + half)
        axes.set_zlabel('z [m]')
        axes.set_box_aspect((1.0, 1.0, 1.0))
        axes.view_init(elev=22.0, azim=-58.0)
