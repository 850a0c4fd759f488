"""The next step of several methods as arrows at the tip, and the arm one step further."""

import html
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import viser

from ik_node.model.chain import Chain
from ik_node.ros.parameters import NONE
from ik_node.solvers.goal import Goal
from ik_node.solvers.registry import make_solver, solver_class
from ik_node.spatial import inverse
from ik_node.support.exceptions import IkError
from ik_node.viewer.newest import Newest
from ik_node.viewer.quantities import angle_text, length_text
from ik_node.viewer.robot_view import COLORS, RobotView
from ik_node.viewer.scene_names import new_name
from ik_node.viewer.targets import Target

METHODS = ('pseudoinverse', 'dls', 'transpose', 'ccd')
_PARTS = 12          # of the path of the tip in a step that are drawn
_WIDTH = 0.006       # of the reach: the shaft of an arrow
_HEAD = 8.0          # of its width: the head of an arrow, which follows the path
_SAME = 1e-6         # m, rad and entries of a rotation matrix: no other goal, no other place


class StepPanel:
    """Draws the path of the tip in one bare step of each method towards the goal, and takes it.

    A bare step has no line search and knows no limits. The options of a method are the node's.
    """

    def __init__(self, server: viser.ViserServer, robot_view: RobotView,
                 where: Callable[[], np.ndarray | None], notify: Callable[[str], None]) -> None:
        """Make the widgets.

        where: returns the pose (4, 4) of the handle in the scene, m, None without one. notify:
        called with the reason where the node refuses.
        """
        self._server, self._robot_view = server, robot_view
        self._where, self._notify = where, notify
        self._problem: tuple[np.ndarray, np.ndarray] | None = None  # q and goal that are drawn
        self._options: dict[str, Any] = {}
        self._solvers: dict[str, Any] = {}
        self._chain: Chain | None = None
        self._steps: dict[str, np.ndarray] = {}
        self._arrows: list[Any] = []
        self._work: Newest[str] = Newest(self._take, self._notify)
        gui = server.gui
        self._folder = gui.add_folder('Steps', expand_by_default=False, visible=False)
        with self._folder:
            self._shown: Any = gui.add_checkbox(
                'show steps', False, hint='where one step of each method takes the tip')
            self._table = gui.add_html('')
            self._method: Any = gui.add_dropdown('method', METHODS)
            gui.add_button('One step', hint='moves the arm by one step of the method').on_click(
                lambda _: self._work.give(str(self._method.value)))

    def close(self) -> None:
        """End the thread."""
        self._work.close()

    def update(self, visible: bool) -> None:
        """Draw the steps from where the arm and the handle are now."""
        if self._folder.visible != visible:
            self._folder.visible = visible
        if not (visible and self._shown.value):
            self._clear()
            return
        chain, problem = self._robot_view.chain, self._present()
        options = self._node_options()
        if chain is None or problem is None:
            self._clear()
        elif self._is_other(chain, problem, options):
            self._chain, self._problem, self._options = chain, problem, options
            self._draw()

    def _is_other(self, chain: Chain, problem: tuple[np.ndarray, np.ndarray],
                  options: dict[str, Any]) -> bool:
        """Tell whether there is something else to draw; forget solvers of another arm."""
        if chain is not self._chain or not _same_options(options, self._options):
            self._solvers.clear()
            return True
        return self._problem is None or any(
            np.abs(new - old).max() > _SAME for new, old in zip(problem, self._problem))

    def _present(self) -> tuple[np.ndarray, np.ndarray] | None:
        """Return the joint values (n,) and the goal (4, 4), m, in the frame of the base."""
        chain, T_scene_goal = self._robot_view.chain, self._where()
        values = self._robot_view.values
        if chain is None or T_scene_goal is None or any(
                name not in values for name in chain.joint_names):
            return None
        base = self._robot_view.target_frame(Target())
        return (np.array([values[name] for name in chain.joint_names]),
                inverse(base) @ T_scene_goal)

    def _node_options(self) -> dict[str, Any]:
        """Return the node's parameters of the methods, and its task_weights."""
        parameters = self._robot_view.parameters
        found = {'task_weights': parameters.option('task_weights')}
        for method in METHODS:
            for name in solver_class(method).Options.specs():
                value = parameters.option(f'{method}.{name}')
                if value is not None:
                    found[f'{method}.{name}'] = value
        return found

    def _solver(self, chain: Chain, method: str) -> Any:
        """Return a solver with the options of the node."""
        if method not in self._solvers:
            specs = solver_class(method).Options.specs()
            options = {name: None if value == NONE and specs[name].optional else value
                       for name in specs
                       if (value := self._options.get(f'{method}.{name}')) is not None}
            self._solvers[method] = make_solver(method, chain, **options)
        return self._solvers[method]

    def _goal(self, chain: Chain, T_base_goal: np.ndarray) -> Goal:
        return Goal.from_pose(T_base_goal, self._robot_view.parameters.task_weights(chain))

    def _draw(self) -> None:
        """Draw an arrow for each method, and list how far it gets."""
        chain, problem = self._chain, self._problem
        if chain is None or problem is None:
            return
        q, T_base_goal = problem
        steps, errors, tip_paths = {}, {}, {}
        try:
            goal = self._goal(chain, T_base_goal)
            for method in METHODS:
                dq = self._solver(chain, method).step(goal, q)
                steps[method] = dq
                tip_paths[method] = np.array([chain.forward(q + part * dq)[:3, 3]
                                         for part in np.linspace(0.0, 1.0, _PARTS + 1)])
                errors[method] = float(np.linalg.norm(tip_paths[method][-1] - T_base_goal[:3, 3]))
        except IkError as error:
            self._clear()
            self._table.content = f'<div style="margin:0 3%">{html.escape(str(error))}</div>'
            return
        self._steps = steps
        self._remove_arrows()
        T = self._robot_view.target_frame(Target())
        for method, path in tip_paths.items():
            self._arrows += self._arrow(path @ T[:3, :3].T + T[:3, 3], _color(method))
        self._table.content = _rows(chain, steps, errors)

    def _arrow(self, path: np.ndarray, color: tuple[int, int, int]) -> list[Any]:
        """Draw a path of the tip (k, 3), m, of the scene, that ends in an arrow."""
        scene, reach = self._server.scene, self._robot_view.reach
        name = f'/{self._robot_view.name}/steps'
        width = _WIDTH * reach
        line = scene.add_line_segments(
            new_name(self._server, f'{name}/path'), np.stack([path[:-1], path[1:]], axis=1),
            np.array(color), thickness=2.0 * width)
        last = path[-1] - path[-2]
        length = float(np.linalg.norm(last))
        if length < 0.1 * width:
            return [line]
        head = np.array([[path[-1], path[-1] + _HEAD * width * last / length]])
        return [line, scene.add_arrows(
            new_name(self._server, f'{name}/head'), head, np.array(color, dtype=np.uint8),
            shaft_radius=width, head_radius=0.5 * _HEAD * width, head_length=_HEAD * width)]

    def _take(self, method: str) -> None:
        """Move the arm by a step of a method, inside the limits."""
        chain, problem = self._robot_view.chain, self._present()
        if chain is None or problem is None:
            return
        q, T_base_goal = problem
        if chain is not self._chain:
            self._chain, self._options = chain, self._node_options()
            self._solvers.clear()
        try:
            dq = self._solver(chain, method).step(self._goal(chain, T_base_goal), q)
            self._robot_view.go_to(np.clip(q + dq, chain.lower, chain.upper).tolist())
        except IkError as error:
            self._notify(str(error))

    def _clear(self) -> None:
        if self._problem is not None or self._table.content:
            self._problem, self._steps = None, {}
            self._table.content = ''
            self._remove_arrows()

    def _remove_arrows(self) -> None:
        for arrow in self._arrows:
            arrow.remove()
        self._arrows = []


def _color(method: str) -> tuple[int, int, int]:
    r, g, b = COLORS[METHODS.index(method)]
    return round(255 * r), round(255 * g), round(255 * b)


def _rows(chain: Chain, steps: Mapping[str, np.ndarray], errors: Mapping[str, float]) -> str:
    """Return a table: how far the joint that moves most does, and how far the tip is off then."""
    lines = []
    for method, dq in steps.items():
        k = int(np.abs(dq).argmax())
        moved = (length_text if chain.prismatic[k] else angle_text)(float(abs(dq[k])))
        lines.append(f'<tr><td><span style="color:rgb{_color(method)}">■</span> {method}</td>'
                     f'<td align="right">{moved}</td>'
                     f'<td align="right">{length_text(errors[method])}</td></tr>')
    return ('<div style="margin:0 3%"><table style="font-size:0.8em;border-spacing:0.6em 0.1em">'
            '<tr><th align="left">method</th><th align="right">largest step</th>'
            f'<th align="right">then off by</th></tr>{"".join(lines)}</table></div>')


def _same_options(options: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return options.keys() == other.keys() and all(
        np.array_equal(np.asarray(value), np.asarray(other[name]))
        for name, value in options.items())
