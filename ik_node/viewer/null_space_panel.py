"""The self-motion of a redundant arm: its curves in the scene, and the arm led along them."""

from typing import Any, NamedTuple

import numpy as np

from ik_node.model.chain import Chain
from ik_node.solvers.arm.self_motion import SelfMotion, redundancy_degree, self_motion
from ik_node.solvers.goal import Goal, task_rows
from ik_node.spatial import inverse
from ik_node.support.exceptions import IkError
from ik_node.viewer.draft import on_user_change
from ik_node.viewer.page_text import html_line, joint_text
from ik_node.viewer.panel import Page, Panel
from ik_node.viewer.scene_nodes import add_line, distinct_colors

_FREEST = 'the one that moves most'
_DRAWN = 80     # configurations of a curve, about
_WIDTH = 0.008  # of the reach: a curve
_MOVES = 0.01   # of the reach: the path of a joint, at least, whose curve is drawn
_NEAR = 0.06    # rad or m: distance of the arm from its self-motion
_SAME = 1e-4    # of the reach, and rad: the tip is where it was
_ENDINGS = {'singularity': 'a singular configuration', 'length': 'the end of the search'}


class _Problem(NamedTuple):
    """Where a self-motion is asked for."""

    chain: Chain
    q: np.ndarray
    weights: np.ndarray
    joint: str | None


class NullSpacePanel(Panel):
    """Draws where the joints can go while the tip stays, and takes the arm there."""

    def __init__(self, page: Page) -> None:
        super().__init__(page, 'Null space')
        self._present: _Problem | None = None
        self._problem: _Problem | None = None  # of the motion that is shown or looked for
        self._found: SelfMotion | IkError | None = None  # not drawn yet
        self._motion: SelfMotion | None = None
        self._degree = 0
        self._solver = self._worker(self._solve)
        gui = self._gui
        with self._folder:
            self._shown: Any = gui.add_checkbox(
                'show the self-motion', False, hint='where each joint can go while the tip stays')
            self._joint: Any = gui.add_dropdown(
                'joint', (_FREEST,), hint='the joint that the motion begins with')
            self._text = gui.add_html('')
            self._place: Any = gui.add_slider(
                'place', 0.0, 100.0, 0.5, 0.0, visible=False,
                hint='moves the arm along its self-motion, from 0 to 100 %')
        on_user_change(self._place, self._move_along)

    def _is_useful(self) -> bool:
        self._present = self._find_problem() if super()._is_useful() else None
        return self._present is not None and self._degree > 0

    def _refresh(self, visible: bool) -> None:
        problem = self._present
        if problem is None or not visible or not self._shown.value:
            self._clear()
            return
        found, self._found = self._found, None
        if found is not None and self._problem is not None:
            self._show(self._problem.chain, found)
        elif not self._solver.busy and self._is_other(problem):
            self._problem, self._motion = problem, None
            self._solver.give(problem)

    def _find_problem(self) -> _Problem | None:
        arm, last = self._robot_view.arm_values, self._present
        if arm is None:
            return None
        chain, q = arm
        try:
            weights = self._page.goal_weights(chain)
            if last is None or chain is not last.chain or not np.array_equal(weights, last.weights):
                self._degree = redundancy_degree(chain, q, weights)
        except IkError:  # a goal that asks for nothing has no null space worth showing
            return None
        if last is None or chain is not last.chain:
            self._joint.options = (_FREEST, *chain.joint_names)
        joint = None if self._joint.value == _FREEST else str(self._joint.value)
        return _Problem(chain, np.clip(q, chain.lower, chain.upper), weights, joint)

    def _is_other(self, problem: _Problem) -> bool:
        """Return whether the arm has left the self-motion that is shown or looked for."""
        last = self._problem
        if last is None or problem.chain is not last.chain or problem.joint != last.joint or (
                not np.array_equal(problem.weights, last.weights)):
            return True
        passed = last.q[None] if self._motion is None else self._motion.configurations
        goal = Goal.from_pose(last.chain.forward(last.q), np.where(problem.weights > 0.0, 1.0, 0.0))
        off, _ = task_rows(problem.chain, goal, problem.q, self._robot_view.reach)
        return bool(np.abs(off).max() > _SAME
                    or np.linalg.norm(passed - problem.q, axis=1).min() > _NEAR)

    def _solve(self, problem: _Problem) -> None:
        try:
            found: SelfMotion | IkError = self_motion(*problem)
        except IkError as error:
            found = error
        if problem is self._problem:
            self._found = found

    def _show(self, chain: Chain, found: SelfMotion | IkError) -> None:
        self._remove_drawn()
        if isinstance(found, IkError):
            self._motion, self._place.visible = None, False
            self._text.content = html_line(str(found))
            return
        self._motion, lengths = found, found.lengths
        self._place.visible = lengths[-1] > 0.0
        if lengths[-1] > 0.0:
            self._place.value = float(np.round(200.0 * lengths[found.start] / lengths[-1]) / 2.0)
        reach, colors = self._robot_view.reach, distinct_colors(chain.n_joints)
        self._drawn = [
            add_line(self._server, f'/{self._robot_view.name}/self_motion/{k}', path, colors[k],
                     _WIDTH * reach)
            for k, path in enumerate(self._paths(chain, found.configurations))
            if np.ptp(path, axis=0).max() > _MOVES * reach]
        self._text.content = html_line(_description(chain, found))

    def _paths(self, chain: Chain, configurations: np.ndarray) -> list[np.ndarray]:
        """Return the path of each joint (k, 3), m, of the scene."""
        links = [chain.tree.joints[name].child for name in chain.joint_names]
        T_scene_base = self._robot_view.pose(chain.base_link)
        count = min(len(configurations), _DRAWN)
        places = []
        for q in configurations[np.linspace(0, len(configurations) - 1, count).round().astype(int)]:
            poses = chain.tree.forward(dict(zip(chain.joint_names, q)))
            T_scene_root = T_scene_base @ inverse(poses[chain.base_link])
            places.append([(T_scene_root @ poses[link])[:3, 3] for link in links])
        return list(np.moveaxis(np.array(places), 1, 0))

    def _move_along(self, percent: float) -> None:
        problem, motion = self._problem, self._motion
        if problem is not None and motion is not None:
            length = percent / 100.0 * motion.lengths[-1]
            q = motion.configurations[int(np.abs(motion.lengths - length).argmin())]
            self._work.give(lambda: self._page.move_arm(
                problem.chain, q, 'reached, along the self-motion', key='place'))

    def _clear(self) -> None:
        if self._problem is not None:
            self._problem = self._found = self._motion = None
            self._text.content, self._place.visible = '', False
            self._remove_drawn()


def _description(chain: Chain, motion: SelfMotion) -> str:
    """Return how far a self-motion goes, and why it ends there."""
    length, prismatic = float(motion.lengths[-1]), chain.prismatic
    if length == 0.0 and 'singularity' in motion.endings:
        return 'The arm is in a singular configuration: its self-motion is not unique here.'
    total = (f'{length:.3g} rad and m' if prismatic.any() and not prismatic.all()
             else joint_text(length, bool(prismatic.all())))
    if motion.endings[0] == 'closed':
        return f'Closed: the joints come back to where they were, after {total}.'
    first, last = (_ENDINGS.get(ending) or _nearest_limit(chain, motion.configurations[k])
                   for k, ending in zip((0, -1), motion.endings))
    return f'{total} of joint motion, from {first} to {last}.'


def _nearest_limit(chain: Chain, q: np.ndarray) -> str:
    below, above = q - chain.lower, chain.upper - q
    k = int(np.minimum(below, above).argmin())
    return f'{chain.joint_names[k]} at its {"lower" if below[k] < above[k] else "upper"} limit'
