"""Leads the goal round on a closed path, at a speed that can be watched."""

import functools
import threading
from collections.abc import Callable

import numpy as np
import viser

from ik_node.control.target_path import TargetPath
from ik_node.motion.tip_path import ClosedPath
from ik_node.support.threads import Notify, start_thread
from ik_node.viewer.handles import Handles
from ik_node.viewer.robot_view import RobotView
from ik_node.viewer.targets import Target

_RATE = 25.0     # Hz, of goals
_ROUND = 20.0    # s, of a round, at first
_DRAGGED = 1e-4  # m and entries of a rotation matrix: less is rounding
_PLAY, _STOP = 'Play the demo', 'Stop'
_MOVED = ('pose', 'position', 'look_at')  # the types of tasks that are led round

_Targets = Callable[[float], dict[str, np.ndarray]]


class DemoPanel:
    """A button that leads the goal of the arm, or those of tasks, round, until it is pressed again.

    The goals of an arm are those of `make demo`. It stops when the user drags a handle.
    """

    def __init__(self, server: viser.ViserServer, robot_view: RobotView, handles: Handles,
                 drag_to: Callable[[np.ndarray, str], object],
                 notify: Notify | None = None) -> None:
        """Make the widgets.

        drag_to: called with a pose (4, 4), m, of the scene, and the name of a task, '' for the arm.
        notify: called with a line about a defect that ends the demo.
        """
        self._robot_view, self._handles, self._drag_to = robot_view, handles, drag_to
        self._notify = notify
        self._stopped = threading.Event()
        self._stopped.set()
        self._thread: threading.Thread | None = None
        self._phase = 0.0
        self._folder = server.gui.add_folder('Demo', expand_by_default=False)
        with self._folder:
            self._button = server.gui.add_button(_PLAY, hint='leads the goal round')
            self._round = server.gui.add_number('s per round', _ROUND, min=1.0, max=600.0, step=1.0)
        self._button.on_click(lambda _: self._press())

    @property
    def plays(self) -> bool:
        """Whether the goal is led round."""
        return not self._stopped.is_set()

    def update(self, visible: bool) -> None:
        """Show the panel where there is something to move; stop where there is not."""
        if self._folder.visible != visible:
            self._folder.visible = visible
        if not visible and self.plays:
            self.stop()

    def stop(self) -> None:
        """Stop, and send no further goal."""
        self._stopped.set()
        self._button.label = _PLAY

    def _press(self) -> None:
        if self.plays:
            self.stop()
            return
        targets = self._path()
        if targets is not None:
            if self._thread is not None:
                self._thread.join()  # its last goal would look like a user's drag
            self._stopped = threading.Event()
            self._button.label = _STOP
            self._thread = start_thread(functools.partial(self._play, targets, self._stopped),
                                        'demo', self._notify)

    def _path(self) -> _Targets | None:
        """Return the targets at a phase, 0 to 1, as poses (4, 4), m, of the scene, by task."""
        robot_view, chain = self._robot_view, self._robot_view.chain
        if chain is not None:
            path = ClosedPath(chain)
            return lambda phase: {'': robot_view.target_frame(Target()) @ path.pose(phase)}
        moved = [target for target in robot_view.targets if target.kind in _MOVED
                 and robot_view.parameters.get(f'{target.name}.priority') != 0]
        starts = {target.name: gizmo.T for target in moved
                  if (gizmo := self._handles.named(target.name)) is not None}
        if not starts:
            return None
        figure = TargetPath(
            robot_view.reach, {target.name: _as_target(target, starts[target.name])
                               for target in moved if target.name in starts},
            [target.name for target in moved if target.kind == 'look_at'])
        return lambda phase: {name: _as_pose(target, starts[name])
                              for name, target in figure.targets(phase).items()}

    def _play(self, targets: _Targets, stopped: threading.Event) -> None:
        tree, sent = self._robot_view.tree, dict[str, np.ndarray]()
        try:
            while not (stopped.wait(1.0 / _RATE) or self._robot_view.tree is not tree
                       or self._is_dragged_from(sent)):
                self._phase = (self._phase + 1.0 / (_RATE * float(self._round.value))) % 1.0
                sent = targets(self._phase)
                for name, T_scene_goal in sent.items():
                    self._drag_to(T_scene_goal, name)
        finally:
            if not stopped.is_set():
                self.stop()

    def _is_dragged_from(self, sent: dict[str, np.ndarray]) -> bool:
        """Tell whether a handle is no longer where it was led to, poses (4, 4), m, by task."""
        return any((gizmo := self._handles.named(name)) is not None
                   and np.abs(gizmo.T - T).max() > _DRAGGED for name, T in sent.items())


def _as_target(target: Target, T: np.ndarray) -> np.ndarray:
    """Return where a handle is, (4, 4), m, as its task takes it."""
    return T[:3, 3].copy() if target.is_point else T


def _as_pose(target: np.ndarray, T: np.ndarray) -> np.ndarray:
    """Return a pose (4, 4), m, at a target, turned as T (4, 4) where that is a point."""
    if target.shape == (4, 4):
        return target
    turned = T.copy()
    turned[:3, 3] = target
    return turned
