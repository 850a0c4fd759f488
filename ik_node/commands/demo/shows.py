"""Shows of the demonstration: an arm on a closed path, or a figure with several tasks."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from ik_node.control.group_source import GroupSource
from ik_node.control.options import BODY_SOLVERS, ArmOptions, NodeOptions
from ik_node.control.target_path import TargetPath
from ik_node.control.task_group import TaskGroup
from ik_node.control.task_options import TaskOptions
from ik_node.model.readers import read_model
from ik_node.model.tree_structure import TreeStructure
from ik_node.motion.tip_path import ClosedPath
from ik_node.ros.clients.client import GoalResponse
from ik_node.solvers.arm.base import Solver
from ik_node.solvers.body.base import BodySolver
from ik_node.solvers.registry import make_solver
from ik_node.support.exceptions import OptionError, names
from ik_node.support.resources import share_folder
from ik_node.workspace.picture import link_origins

_PLANAR = 1e-6  # of the arm's size: what counts as a plane
_MOST_DRAWN = 50
_FIGURES_DRAWN = 5


class Show(ABC):
    """A robot, its solver and its goals.

    - `description`: of robot and solver. `frame`: that of the goals.
    - `steps`: pairs of a goal, a pose (4, 4) or a point (3,), m, and its task, '' for the arm.
    - `solver`, `solver_name`; `links`: base and tip; `parameters`: files of the node's parameters.
    """

    description: str
    tree: TreeStructure
    solver: Solver | BodySolver
    solver_name: str
    steps: list[tuple[np.ndarray, str]]
    frame = ''
    links = ('', '')
    parameters: tuple[Path, ...] = ()

    def draw(self, outcomes: Sequence[GoalResponse], file: Path) -> None:
        """Save a picture of what the node has published at its goals."""
        from matplotlib.figure import Figure as Sheet
        sheet = Sheet(figsize=(9.0, 9.0), dpi=130)
        values = [{name: value for name, value in outcome.joints.items()
                   if name in self.tree.joints} for outcome in outcomes]
        axes = self._draw(sheet, outcomes, values)
        axes.set_title(f'{self.tree.name}: {len(outcomes)} goals with {self.solver_name}')
        axes.legend(loc='upper right')
        sheet.savefig(file, bbox_inches='tight')

    @abstractmethod
    def _draw(self, sheet: Any, outcomes: Sequence[GoalResponse],
              values: Sequence[dict[str, float]]) -> Any:
        """Draw outcomes, with the values of the joints at each, and return the axes."""


class ArmShow(Show):
    """The tip of an arm is led along a closed path."""

    def __init__(self, file: Path, base: str | None, tip: str | None, solver: str,
                 count: int) -> None:
        """Plan count goals. Raises IkError where file, links or solver do not fit together."""
        self._chain = chain = read_model(file).chain(base, tip)
        self.tree, self.solver, self.solver_name = chain.tree, make_solver(solver, chain), solver
        self.description = (f'Robot {chain.tree.name}: {chain.n_joints} joints from '
                            f'{chain.base_link} to {chain.tip_link}; solver {solver}.')
        path = ClosedPath(chain)
        phases = np.arange(1, count + 1) / count
        sigma = [np.linalg.svd(chain.jacobian(path.configuration(s))[:3])[1] for s in phases]
        # The last one, which the page goes on showing, is where the tip is most manipulable.
        end = np.argmax([values[values > _PLANAR * values.max()].prod() for values in sigma])
        self.steps = [(path.pose(s), '') for s in phases + phases[end]]
        self.frame, self.links = chain.base_link, (chain.base_link, chain.tip_link)

    def _draw(self, sheet: Any, outcomes: Sequence[GoalResponse],
              values: Sequence[dict[str, float]]) -> Any:
        every = slice(None, None, -(-len(outcomes) // _MOST_DRAWN))
        goals = np.array([goal for goal, _ in self.steps[:len(outcomes)]])[every]
        bones = np.array([link_origins(self._chain, configuration)
                          for configuration in values[every]])
        size = float(np.ptp(bones.reshape(-1, 3), axis=0).max()) or 1.0
        planar = bool(np.ptp(bones[..., 2]) < _PLANAR * size)
        axes = sheet.add_subplot() if planar else sheet.add_subplot(projection='3d')
        used = slice(0, 2 if planar else 3)
        for i, bone in enumerate(bones):
            share = i / max(len(bones) - 1, 1)
            axes.plot(*bone[:, used].T, color=_color(share), lw=3.0 if i == len(bones) - 1 else 1.6,
                      alpha=0.35 + 0.65 * share ** 2, marker='o', ms=4.0, solid_capstyle='round')
        axes.plot(*bones[:, -1, used].T, color='tab:red', lw=1.0, ls=':')
        axes.scatter(*goals[:, used, 3].T, marker='x', s=36.0, color='tab:red', label='goals')
        for T in goals:
            for column, color in zip(T[:3, :3].T, ('tab:red', 'tab:green', 'tab:blue')):
                axis = np.array([T[:3, 3], T[:3, 3] + 0.05 * size * column])
                axes.plot(*axis[:, used].T, color=color, lw=1.0)
        _fit_axes(axes, bones.reshape(-1, 3), planar)
        return axes


class FigureShow(Show):
    """The hands and the gaze of a figure are led round, while its other tasks hold."""

    def __init__(self, file: Path, parameters: Path, solver: str, count: int) -> None:
        """Plan at least count goals for the tasks of a file of parameters. Raises IkError."""
        values = _values(parameters)
        name = solver or values.get('solver', 'least_squares')
        if name not in BODY_SOLVERS:
            raise OptionError(f'with tasks, solver must be one of {names(BODY_SOLVERS)}, '
                              f'not {name!r}')
        self.tree = tree = read_model(file)
        figure = TaskGroup(GroupSource(
            tree, ArmOptions(solver=name), {},
            {task: TaskOptions.read(values[task]) for task in values['tasks']},
            values.get('root', 'fixed'), NodeOptions.read(
                {'root_pose': values['root_pose']} if 'root_pose' in values else {}).T_world_root))
        figure.set_missing_targets(figure.start)
        self.solver, self.solver_name, self.parameters = figure.solver, name, (parameters,)
        self.description = (
            f'Robot {tree.name}: {figure.body.n_joints} joint values, root {figure.body.root}; '
            f'tasks {", ".join(figure.tasks)}; solver {name}.')
        path = TargetPath.of(figure)
        phases = -(-count // max(len(path.names), 1))
        self.steps = [(target, task) for i in range(phases)
                      for task, target in path.targets(i / phases).items()]

    def _draw(self, sheet: Any, outcomes: Sequence[GoalResponse],
              values: Sequence[dict[str, float]]) -> Any:
        axes = sheet.add_subplot(projection='3d')
        every = -(-len(outcomes) // _FIGURES_DRAWN)
        drawn = list(zip(outcomes, values))[len(outcomes) - 1::-every][::-1]  # always the last
        points = []
        for i, (outcome, configuration) in enumerate(drawn):
            share = i / max(len(drawn) - 1, 1)
            place = {link: outcome.T_world_root @ T
                     for link, T in self.tree.forward(configuration).items()}
            for joint in self.tree.joints.values():
                bone = np.array([place[joint.parent][:3, 3], place[joint.child][:3, 3]])
                points.append(bone)
                axes.plot(*bone.T, color=_color(share), lw=4.0 if i == len(drawn) - 1 else 2.0,
                          alpha=0.25 + 0.75 * share ** 3, solid_capstyle='round')
        bones = np.concatenate(points)
        marks = np.array([goal[:3, 3] if goal.shape == (4, 4) else goal
                          for goal, _ in self.steps[:len(outcomes)]])
        # Goals far away, such as those of a gaze, are not drawn.
        near = np.abs(marks - bones.mean(axis=0)).max(axis=1) < 0.5 * np.ptp(bones, axis=0).max()
        axes.scatter(*marks[near].T, marker='x', s=36.0, color='tab:red', label='goals')
        _fit_axes(axes, bones, planar=False)
        return axes


def _color(share: float) -> Any:
    """Return the colour of a configuration, from the first, 0, to the last, 1."""
    import matplotlib as mpl
    return mpl.colormaps['viridis'](share)


def _fit_axes(axes: Any, points: np.ndarray, planar: bool) -> None:
    """Set the same scale for every axis, and a margin."""
    low, high = points.min(axis=0), points.max(axis=0)
    centre, half = 0.5 * (low + high), 0.55 * max(float((high - low).max()), 1e-9)
    for name, middle in zip('xy' if planar else 'xyz', centre):
        axes.set(**{f'{name}lim': (middle - half, middle + half), f'{name}label': f'{name} [m]'})
    axes.grid(visible=True, alpha=0.3)
    if planar:
        axes.set_aspect('equal')
    else:
        axes.set_box_aspect((1.0, 1.0, 1.0))
        axes.view_init(elev=22.0, azim=-58.0)


def make_show(file: Path, base: str | None, tip: str | None, solver: str, count: int) -> Show:
    """Return the show for a robot: a figure where its own parameters have tasks, else an arm.

    solver: '' for the default. Raises IkError.
    """
    parameters = _parameters(file)
    if tip is None and parameters.is_file() and _values(parameters).get('tasks'):
        return FigureShow(file, parameters, solver, count)
    return ArmShow(file, base, tip, solver or 'dls', count)


def _parameters(file: Path) -> Path:
    """Return the file of a robot's own parameters, which need not exist.

    A skeleton without any has those of the figure of this package, where it has its bones.
    """
    folder = share_folder() / 'config'
    own, figure = folder / f'{file.stem}.yaml', folder / 'walker.yaml'
    if own.is_file() or file.suffix.lower() != '.asf' or not figure.is_file():
        return own
    values = _values(figure)
    links = {values[task]['link'] for task in values['tasks']}
    return figure if links <= set(read_model(file).links) else own


def _values(parameters: Path) -> dict[str, Any]:
    return yaml.safe_load(parameters.read_text())['/**']['ros__parameters']
