"""What the demonstration shows: an arm on a closed path, or a figure with several tasks."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import yaml

from ik_node.control.group import GroupSource
from ik_node.control.options import BODY_SOLVERS, ArmOptions, NodeOptions
from ik_node.control.target_path import TargetPath
from ik_node.control.task_group import TaskGroup
from ik_node.control.task_options import TaskOptions
from ik_node.model.readers import read_model
from ik_node.motion.closed_path import ClosedPath
from ik_node.ros.clients.client import Outcome
from ik_node.solvers.base import Solver
from ik_node.solvers.body.base import BodySolver
from ik_node.solvers.registry import make_solver
from ik_node.support.exceptions import OptionError, names
from ik_node.support.resources import share_folder


class Step(NamedTuple):
    """A goal of the demonstration."""

    goal: np.ndarray
    """A pose (4, 4) or a point (3,), m."""
    task: str
    """Whose target it is; '' for the arm."""


class Show(ABC):
    """A robot, its solver and its goals.

    - `words`: robot and solver in words. `steps`: the goals. `frame`: that of the goals.
    - `solver`, `solver_name`; `links`: base and tip; `parameters`: files of the node's parameters.
    """

    words: str
    solver: Solver | BodySolver
    solver_name: str
    steps: list[Step]
    frame = ''
    links = ('', '')
    parameters: tuple[Path, ...] = ()

    @abstractmethod
    def draw(self, outcomes: Sequence[Outcome], file: Path) -> None:
        """Save a picture of what the node has published."""


class ArmShow(Show):
    """The tip of an arm is led along a closed path."""

    def __init__(self, file: Path, base: str | None, tip: str | None, solver: str,
                 count: int) -> None:
        """Plan count goals. Raises IkError where file, links or solver do not fit together."""
        self._chain = chain = read_model(file).chain(base, tip)
        self.solver, self.solver_name = make_solver(solver, chain), solver
        self.words = (f'Robot {chain.tree.name}: {chain.n_joints} joints from {chain.base_link} to '
                      f'{chain.tip_link}; solver {solver}.')
        path = ClosedPath(chain)
        self.steps = [Step(path.pose(i / count), '') for i in range(count)]
        self.frame, self.links = chain.base_link, (chain.base_link, chain.tip_link)

    def draw(self, outcomes: Sequence[Outcome], file: Path) -> None:
        """Save a picture of the arm at its goals."""
        from ik_node.commands.demo.picture import (
            draw_motion,  # late: Matplotlib takes half a second
        )
        joints = self._chain.tree.joints
        draw_motion(self._chain, [{name: value for name, value in outcome.joints.items()
                                   if name in joints} for outcome in outcomes],
                    np.array([step.goal for step in self.steps[:len(outcomes)]]),
                    f'{self._chain.tree.name}: {len(outcomes)} goals with {self.solver_name}', file)


class FigureShow(Show):
    """The hands and the gaze of a figure are led round, while its other tasks hold."""

    def __init__(self, file: Path, parameters: Path, solver: str, count: int) -> None:
        """Plan at least count goals for the tasks of a file of parameters. Raises IkError."""
        values = _values(parameters)
        name = solver or values.get('solver', 'least_squares')
        if name not in BODY_SOLVERS:
            raise OptionError(f'with tasks, solver must be one of {names(BODY_SOLVERS)}, '
                              f'not {name!r}')
        tree = read_model(file)
        self._figure = figure = TaskGroup(GroupSource(
            tree, ArmOptions(solver=name), {},
            {task: TaskOptions.read(values[task]) for task in values['tasks']},
            values.get('root', 'fixed'), NodeOptions.read(
                {'root_pose': values['root_pose']} if 'root_pose' in values else {}).T_world_root))
        figure.set_missing_targets(figure.start)
        self.solver, self.solver_name = figure.solver, name
        self.parameters = (parameters,)
        self.words = (f'Robot {tree.name}: {figure.body.n_joints} joint values, root '
                      f'{figure.body.root}; tasks {", ".join(figure.tasks)}; solver {name}.')
        path = TargetPath.of(figure)
        phases = -(-count // max(len(path.names), 1))
        self.steps = [Step(target, task) for i in range(phases)
                      for task, target in path.targets(i / phases).items()]

    def draw(self, outcomes: Sequence[Outcome], file: Path) -> None:
        """Save a picture of the figure at its goals."""
        from ik_node.commands.demo.picture import draw_figure  # late: see above
        tree = self._figure.source.tree
        places = [{link: outcome.T_world_root @ T for link, T in tree.forward(
            {name: value for name, value in outcome.joints.items() if name in tree.joints}).items()}
            for outcome in outcomes]
        draw_figure(tree, places, [step.goal for step in self.steps[:len(outcomes)]],
                    f'{tree.name}: {len(outcomes)} goals with {self.solver_name}', file)


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
    values: dict[str, Any] = yaml.safe_load(parameters.read_text())['/**']['ros__parameters']
    return values
