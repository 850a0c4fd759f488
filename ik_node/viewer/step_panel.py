"""The next steps of several methods: arrows at the tip, curves of error, the arm a step further."""

import functools
from typing import Any

import numpy as np

from ik_node.model.chain import Chain
from ik_node.ros.parameters import NONE
from ik_node.solvers.goal import Goal
from ik_node.solvers.registry import make_solver, solver_class
from ik_node.spatial import inverse
from ik_node.support.exceptions import IkError
from ik_node.viewer.charts import add_chart, logarithmic
from ik_node.viewer.draft import on_user_change
from ik_node.viewer.node_parameters import NodeParameters
from ik_node.viewer.node_state import GREY, GoalGap
from ik_node.viewer.page_text import html_line, html_table, joint_text, length_text
from ik_node.viewer.panel import Page, Panel
from ik_node.viewer.robot_view import COLORS
from ik_node.viewer.scene_nodes import add_line, rgb_bytes

METHODS = ('pseudoinverse', 'dls', 'transpose', 'ccd')
_COLORS = dict(zip(METHODS, map(rgb_bytes, COLORS)))
_PARTS = 12          # of the path of the tip in a step that are drawn
_WIDTH = 0.006       # of the reach: the shaft of an arrow
_HEAD = 8.0          # of its width: the head of an arrow, which follows the path
_OUT = 1.2           # of the reach: the goal where there is none
_STEPS = 20          # whose errors are drawn,
_LEAST, _MOST = 1e-3, 1e6  # mm, between these
_SAME = 1e-6         # m, rad and entries of a rotation matrix: no other goal, no other place


class StepPanel(Panel):
    """Draws the path of the tip in one bare step of each method towards the goal, and takes it.

    A chart has the errors after more steps. A bare step has no line search and knows no limits. The
    options of a method are the node's.
    """

    def __init__(self, page: Page) -> None:
        super().__init__(page, 'Steps')
        self._problem: tuple[np.ndarray, np.ndarray] | None = None  # q and goal that are drawn
        # What a step depends on: the options of each method, weights, the chain.
        self._setting: tuple[Any, ...] = ()
        gui = self._gui
        with self._folder:
            self._shown: Any = gui.add_checkbox(
                'show steps', False, hint='where one step of each method takes the tip, with a '
                'goal out of reach where there is none')
            self._table = gui.add_html('')
            self._chart: Any = add_chart(
                gui, [np.zeros(1)] + len(METHODS) * [np.ones(1)], ['step', *METHODS],
                [_COLORS[method] for method in METHODS], title='position error, mm',
                y=logarithmic([np.ones(1)]))
            step: Any = gui.add_button_group('one step', METHODS,
                                             hint='moves the arm by one step of a method')
            step.on_click(lambda _: self._work.give(functools.partial(self._move, step.value)))
        on_user_change(self._shown, lambda shown: self._work.give(
            self._lead_out if shown else lambda: None))

    def _refresh(self, visible: bool) -> None:
        problem = self._present() if visible and self._shown.value else None
        if problem is None:
            self._clear()
            return
        chain, q, T_base_goal = problem
        parameters, before = self._robot_view.parameters, self._setting
        self._setting = ({method: _options(parameters, method) for method in METHODS},
                         str(parameters.option('task_weights')), self._page.position_only, chain)
        if self._problem is None or self._setting != before or any(
                np.abs(new - old).max() > _SAME
                for new, old in zip((q, T_base_goal), self._problem)):
            self._problem = q, T_base_goal
            self._draw(chain, q, T_base_goal)

    def _lead_out(self) -> None:
        """Have a goal out of reach where there is none: there is something to see then."""
        problem = self._present()
        if problem is not None and not self._page.handles.dragged():
            T_base_goal = problem[2]
            R, place = T_base_goal[:3, :3], T_base_goal[:3, 3].copy()
            away = R @ (self._robot_view.served_axes[:3] * (R.T @ place))
            far = max(float(np.linalg.norm(away)), 1e-6 * self._robot_view.reach)
            T_base_goal[:3, 3] += (_OUT * self._robot_view.reach / far - 1.0) * away
            self._page.step(functools.partial(
                self._page.handles.drag_to, self._robot_view.target_frame() @ T_base_goal))

    def _present(self) -> tuple[Chain, np.ndarray, np.ndarray] | None:
        """Return the chain, the joint values (n,) and the goal (4, 4), m, in the base's frame."""
        arm, T_scene_goal = self._robot_view.arm_values, self._page.handle_pose
        if arm is None or T_scene_goal is None:
            return None
        return (*arm, inverse(self._robot_view.target_frame()) @ T_scene_goal)

    def _solver(self, chain: Chain, method: str) -> Any:
        """Return the solver of a method with the options of the node."""
        return make_solver(method, chain, **_options(self._robot_view.parameters, method))

    def _draw(self, chain: Chain, q: np.ndarray, T_base_goal: np.ndarray) -> None:
        try:
            goal = Goal.from_pose(T_base_goal, self._page.goal_weights(chain))
            solvers = {method: self._solver(chain, method) for method in METHODS}
            steps = {method: solver.step(goal, q) for method, solver in solvers.items()}
        except IkError as error:
            self._clear()
            self._table.content = html_line(str(error))
            return
        self._remove_drawn()
        T, rows = self._robot_view.target_frame(), []
        for method, dq in steps.items():
            path = np.array([chain.forward(q + part * dq)[:3, 3]
                             for part in np.linspace(0.0, 1.0, _PARTS + 1)])
            self._draw_arrow(path @ T[:3, :3].T + T[:3, 3], method)
            k = int(np.abs(dq).argmax())
            rows.append([f'<span style="color:rgb{_COLORS[method]}">■</span> {method}',
                         joint_text(abs(dq[k]), chain.prismatic[k]),
                         length_text(float(np.linalg.norm(path[-1] - T_base_goal[:3, 3])))])
        self._table.content = html_table(('method', 'largest step', 'then off by'), rows)
        lines = [_errors(solver, goal, q, T_base_goal[:3, 3]) for solver in solvers.values()]
        self._chart.scales = {**self._chart.scales, 'y': logarithmic(lines)}
        self._chart.data, self._chart.visible = (np.arange(_STEPS + 1.0), *lines), True

    def _draw_arrow(self, path: np.ndarray, method: str) -> None:
        """Draw a path of the tip (k, 3), m, of the scene, that ends in an arrow."""
        name, width = f'/{self._robot_view.name}/steps', _WIDTH * self._robot_view.reach
        color = _COLORS[method]
        self._drawn.append(add_line(
            self._server, f'{name}/path_{method}', path, color, 2.0 * width))
        last = path[-1] - path[-2]
        length = float(np.linalg.norm(last))
        if length >= 0.1 * width:
            head = np.array([[path[-1], path[-1] + _HEAD * width * last / length]])
            self._drawn.append(self._server.scene.add_arrows(
                f'{name}/head_{method}', head, np.array(color, dtype=np.uint8), shaft_radius=width,
                head_radius=0.5 * _HEAD * width, head_length=_HEAD * width))

    def _move(self, method: str) -> None:
        problem = self._present()
        if problem is not None:
            chain, q, T_base_goal = problem
            goal = Goal.from_pose(T_base_goal, self._page.goal_weights(chain))
            q = np.clip(q + self._solver(chain, method).step(goal, q), chain.lower, chain.upper)
            left = GoalGap.between(chain.forward(q), T_base_goal, goal.weights).errors
            self._page.move_arm(
                chain, q, f'after a step of {method}: {left}'.removesuffix(': '), GREY)

    def _clear(self) -> None:
        self._problem, self._table.content, self._chart.visible = None, '', False
        self._remove_drawn()


def _errors(solver: Any, goal: Goal, q: np.ndarray, position: np.ndarray) -> np.ndarray:
    """Return the position errors, mm, before and after each of the next bare steps."""
    errors = np.empty(_STEPS + 1)
    for k in range(_STEPS + 1):
        errors[k] = 1e3 * np.linalg.norm(solver.chain.forward(q)[:3, 3] - position)
        q = q + solver.step(goal, q)
    return np.clip(np.nan_to_num(errors, nan=_MOST, posinf=_MOST), _LEAST, _MOST)


def _options(parameters: NodeParameters, method: str) -> dict[str, Any]:
    """Return the options of a method that the node has."""
    specs = solver_class(method).Options.specs()
    return {name: None if value == NONE and specs[name].optional else value for name in specs
            if (value := parameters.get(f'{method}.{name}')) is not None}
