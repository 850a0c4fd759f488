"""The handles of all targets of a node."""

import threading
from collections.abc import Callable

import numpy as np
import viser

from ik_node.support.threads import Notify
from ik_node.viewer.gizmo import Gizmo
from ik_node.viewer.robot_view import RobotView
from ik_node.viewer.targets import Target

# Of the reach.
_ARM = 0.35
_TASK = 0.13


class Handles:
    """A handle for each target of a node that can be moved; they come and go with the targets."""

    def __init__(self, server: viser.ViserServer, robot_view: RobotView,
                 moved: Callable[[Target, np.ndarray], None],
                 notify: Notify | None = None) -> None:
        """Begin without handles.

        moved: called after each drag with the target and T_frame_goal (4, 4), m, in its frame.
        notify: called with a line about a defect in that.
        """
        self._server, self._robot_view, self._moved = server, robot_view, moved
        self._notify = notify
        self._gizmos: dict[Target, Gizmo] = {}
        self._tree: object = None  # of the robot whose handles they are
        self._rotations = True
        self._changing = threading.Lock()  # a removed handle must not be moved

    def update(self) -> None:
        """Move the handles to their targets; make and remove those of changed targets."""
        robot_view = self._robot_view
        if not robot_view.is_placed:
            return
        targets = robot_view.targets
        with self._changing:
            if robot_view.tree is not self._tree:
                self._remove_all()
                self._tree = robot_view.tree
            for target in self._gizmos.keys() - set(targets):
                self._gizmos.pop(target).remove()
            for target in targets:
                T = robot_view.target_pose(target)
                if T is None:
                    continue
                if target in self._gizmos:
                    self._gizmos[target].follow(T)
                else:
                    self._gizmos[target] = self._make(target, T)

    def _make(self, target: Target, T: np.ndarray) -> Gizmo:
        name, size = (f'/tasks/{target.name}', _TASK) if target.name else ('/goal', _ARM)
        gizmo = Gizmo(
            self._server, name, T, size * self._robot_view.reach,
            lambda T_frame_goal: self._moved(target, T_frame_goal),
            lambda: self._robot_view.target_frame(target), target.freedom, target.name,
            self._notify)
        gizmo.show_rotations(self._rotations or bool(target.name))
        return gizmo

    def named(self, name: str) -> Gizmo | None:
        """Return the handle of a task, '' for that of the arm's goal; None where there is none."""
        if self._tree is not self._robot_view.tree:  # of another robot, about to be removed
            return None
        return next((gizmo for target, gizmo in list(self._gizmos.items())
                     if target.name == name), None)

    def drag_to(self, T_scene_goal: np.ndarray, name: str) -> bool:
        """Act as if a handle was dragged to a pose (4, 4), m; return whether there is that handle.

        name: as for `named`.
        """
        with self._changing:
            gizmo = self.named(name)
            if gizmo is not None:
                gizmo.drag_to(T_scene_goal)
            return gizmo is not None

    def drop(self) -> None:
        """Forget drags that have not been sent yet."""
        for gizmo in list(self._gizmos.values()):
            gizmo.drop()

    def release(self) -> None:
        """Let all handles follow their targets until they are dragged again."""
        with self._changing:
            for gizmo in self._gizmos.values():
                gizmo.release()

    def show_rotations(self, shown: bool) -> None:
        """Show or hide the controls that rotate the arm's goal."""
        with self._changing:
            self._rotations = shown
            gizmo = self.named('')
            if gizmo is not None:
                gizmo.show_rotations(shown)

    def clear(self) -> None:
        """Remove all handles."""
        with self._changing:
            self._remove_all()

    def _remove_all(self) -> None:
        for gizmo in self._gizmos.values():
            gizmo.remove()
        self._gizmos.clear()
