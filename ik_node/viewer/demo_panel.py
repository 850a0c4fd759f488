"""Leads the goal round on a closed path, at a speed that can be watched."""

import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from ik_node.control.target_path import TargetPath
from ik_node.motion.tip_path import ClosedPath
from ik_node.spatial import pose_from_rotation
from ik_node.viewer.draft import PlayButton
from ik_node.viewer.panel import Page, Panel

_RATE = 25.0     # Hz, of goals
_ROUND = 20.0    # s, of a round, at first
_DRAGGED = 1e-4  # m and entries of a rotation matrix: less is rounding
_MOVED = ('pose', 'position', 'look_at')  # the types of tasks that are led round

_Targets = Callable[[float], dict[str, np.ndarray]]


class DemoPanel(Panel):
    """A button that leads the goal of the arm, or those of tasks, round, until it is pressed again.

    The goals of an arm are those of `make demo`. It stops when the user drags a handle.
    """

    def __init__(self, page: Page, home: Callable[[], None]) -> None:
        """Make the widgets. home: sends the robots to their start poses, in the end."""
        super().__init__(page, 'Demo')
        self._phase = 0.0
        with self._folder:
            button = self._gui.add_button('Play the demo', hint='leads the goal round')
            self._player = PlayButton(button, 'Stop the demo', self._play, self._work, home)
            self._round: Any = self._gui.add_slider('s per round', 1.0, 120.0, 1.0, _ROUND)

    def _is_useful(self) -> bool:
        return bool(self._robot_view.targets)

    def _refresh(self, visible: bool) -> None:
        if not visible and self._player.plays:
            self._player.stop()

    def _targets(self) -> _Targets | None:
        """Return the targets at a phase, 0 to 1, as poses (4, 4), m, of the scene, by task."""
        robot_view, chain = self._robot_view, self._robot_view.chain
        if chain is not None:
            path = ClosedPath(chain)
            return lambda phase: {'': robot_view.target_frame() @ path.pose(phase)}
        starts, points, looks = {}, {}, []
        for target in robot_view.targets:
            gizmo = self._page.handles.named(target.name)
            if gizmo is not None and target.kind in _MOVED and (
                    robot_view.parameters.get(f'{target.name}.priority') != 0):
                starts[target.name] = T = gizmo.T
                points[target.name] = T[:3, 3].copy() if target.is_point else T
                looks += [target.name] if target.kind == 'look_at' else []
        if not starts:
            return None
        figure = TargetPath(robot_view.reach, points, looks)
        return lambda phase: {
            name: target if target.shape == (4, 4) else pose_from_rotation(
                starts[name][:3, :3], target) for name, target in figure.targets(phase).items()}

    def _play(self, stopped: threading.Event) -> None:
        """Lead the goals round. Raises InputError where the robot is stopped."""
        self._robot_view.state.check_goals()
        tree, targets, sent = self._robot_view.tree, self._targets(), dict[str, np.ndarray]()
        while not (targets is None or stopped.wait(1.0 / _RATE)
                   or self._robot_view.tree is not tree or any(
                (gizmo := self._page.handles.named(name)) is not None
                and np.abs(gizmo.T - T).max() > _DRAGGED for name, T in sent.items())):
            self._phase = (self._phase + 1.0 / (_RATE * self._round.value)) % 1.0
            sent = targets(self._phase)
            for name, T_scene_goal in sent.items():
                self._page.handles.drag_to(T_scene_goal, name)
