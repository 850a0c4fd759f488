"""Shows of the demonstration: an arm on a closed path, or a figure with several tasks."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from ik_node.commands.ready_pose import start_arguments
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


class Show(ABC):
    """A robot, its solver and its goals.

    - `description`: of robot and solver. `frame`: that of the goals.
    - `steps`: pairs of a goal, a pose (4, 4) or a point (3,), m, and its task, '' for the arm.
    - `solver`, `solver_name`; `links`: base and tip; `parameters`: files of the node's parameters,
      with further `arguments` of the node.
    - `most_drawn`: configurations.
    """

    description: str
    tree: TreeStructure
    solver: Solver | BodySolver
    solver_name: str
    steps: list[tuple[np.ndarray, str]]
    frame = ''
    links = ('', '')
    parameters: tuple[Path, ...] = ()
    arguments: Sequence[str] = ()
    most_drawn: int

    def draw(self, outcomes: Sequence[GoalResponse], file: Path) -> None:
        """Save a picture of what the node has published at its goals."""
        import matplotlib as mpl
        from matplotlib.figure import Figure as Sheet
        every = -(-len(outcomes) // self.most_drawn)
        drawn = [self._bones(outcome, {name: value for name, value in outcome.joints.items()
                                       if name in self.tree.joints})
                 for outcome in outcomes[::-1][::every][::-1]]  # always the last
        places = np.concatenate(drawn).reshape(-1, 3)
        size = float(np.ptp(places, axis=0).max()) or 1.0
        planar = bool(np.ptp(places[:, 2]) < _PLANAR * size)
        sheet = Sheet(figsize=(9.0, 9.0), dpi=130)
        axes: Any = sheet.add_subplot(projection=None if planar else '3d')
        used = slice(0, 2 if planar else 3)
        for i, bones in enumerate(drawn, start=1):
            line = np.insert(bones[..., used], 2, np.nan, axis=1).reshape(-1, used.stop)
            axes.plot(*line.T, color=mpl.colormaps['viridis'](i / len(drawn)),
                      lw=4.0 if i == len(drawn) else 2.0, alpha=0.3 + 0.7 * (i / len(drawn)) ** 2,
                      marker='o', ms=4.0, solid_capstyle='round')
        goals = [goal for goal, _ in self.steps[:len(outcomes)]]
        marks = np.array([goal[:3, 3] if goal.shape == (4, 4) else goal for goal in goals])
        # Goals far away, such as those of a gaze, are not drawn.
        near = np.abs(marks - places.mean(axis=0)).max(axis=1) < size
        axes.scatter(*marks[near][:, used].T, marker='x', s=36.0, color='tab:red', label='goals')
        for T in (goal for goal, is_near in zip(goals, near) if is_near and goal.ndim == 2):
            for column, color in zip(T[:3, :3].T, ('tab:red', 'tab:green', 'tab:blue')):
                axis = np.array([T[:3, 3], T[:3, 3] + 0.05 * size * column])
                axes.plot(*axis[:, used].T, color=color, lw=1.0)
        _fit_axes(axes, places, planar)
        axes.set_title(f'{self.tree.name}: {len(outcomes)} goals with {self.solver_name}')
        axes.legend(loc='upper right')
        sheet.savefig(file, bbox_inches='tight')

    @abstractmethod
    def _bones(self, outcome: GoalResponse, values: Mapping[str, float]) -> np.ndarray:
        """Return the ends (k, 2, 3), m, of the robot's bones at values of its joints."""


class ArmShow(Show):
    """The tip of an arm is led along a closed path."""

    most_drawn = 50

    def __init__(self, file: Path, base: str | None, tip: str | None, solver: str,
                 count: int) -> None:
        """Plan count goals. Raises IkError where file, links or solver do not fit together."""
        self._chain = chain = read_model(file).chain(base, tip)
        self.tree, self.solver, self.solver_name = chain.tree, make_solver(solver, chain), solver
        self.description = (f'Robot {chain.tree.name}: {chain.n_joints} joints from '
                            f'{chain.base_link} to {chain.tip_link}; solver {solver}.')
        path = ClosedPath(chain)
        self.steps = [(path.pose(s), '') for s in np.arange(1, count + 1) / count]
        self.frame, self.links = chain.base_link, (chain.base_link, chain.tip_link)
        self.arguments = start_arguments(file, base, tip)

    def _bones(self, outcome: GoalResponse, values: Mapping[str, float]) -> np.ndarray:
        origins = link_origins(self._chain, values)
        return np.stack([origins[:-1], origins[1:]], axis=1)


class FigureShow(Show):
    """The hands and the gaze of a figure are led round, while its other tasks hold."""

    most_drawn = 5

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

    def _bones(self, outcome: GoalResponse, values: Mapping[str, float]) -> np.ndarray:
        place = {link: (outcome.T_world_root @ T)[:3, 3]
                 for link, T in self.tree.forward(values).items()}
        return np.array([[place[joint.parent], place[joint.child]]
                         for joint in self.tree.joints.values()])


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
