"""Handles in the scene: dragging one sends goals; otherwise it follows its target."""

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import viser

from ik_node.spatial import inverse
from ik_node.support.processes import Notify
from ik_node.viewer.history import UndoHistory
from ik_node.viewer.latest_value import LatestValue
from ik_node.viewer.node_parameters import Target
from ik_node.viewer.robot_view import RobotView
from ik_node.viewer.scene_nodes import matrix, new_name, position_wxyz

_ARM, _TASK = (115.0, 4.0), (64.0, 4.0)  # pixels: sizes of handles, at any distance, and of their
                                         # lines, which decide how near a press grabs them
_FAR, _LEAST = 2.0, 0.5   # reaches: handles further away than that are smaller, to this part
_MOVED = 1e-5  # m and entries of a rotation matrix: less is no motion
_HINT = 'drag me'
_LETTERS = 0.9  # of the usual size
_AMID = 0.02    # m: a name of what is as near the plane y = 0 is below its handle
_ASIDE = 0.08   # of the reach: from a handle to its name
_ANCHORS: Any = 'top-center', 'center-left', 'center-right'  # of names at the sides 0, 1 and -1


class Gizmo:
    """The handle of a target. Of drags faster than they can be handled the latest counts.

    Only one thread at a time may call those that move it, as `TargetHandles` does.

    Where the user has dragged it (`is_dragged`), it stays in the frame of its target: in the parts
    of the pose that it sets.

    - `T_frame_goal`: the goal (4, 4), m, of the last drag, in that frame. `drags`: handles them.
    """

    def __init__(self, handles: 'TargetHandles', target: Target, T: np.ndarray) -> None:
        """Create one of the handles at a pose (4, 4), m, of the scene."""
        server, robot_view = handles.server, handles.robot_view
        self._freedom, self._frame = target.freedom, lambda: robot_view.target_frame(target)
        name, (size, line) = (
            (f'tasks/{target.name}', _TASK) if target.name else ('goal', _ARM))
        position, wxyz = position_wxyz(T)
        self._size, self._far = size, _FAR * robot_view.reach
        moves = any(self._freedom.axes)
        self._handle = server.scene.add_transform_controls(
            new_name(server, f'{robot_view.frame.name}/{name}'), scale=size, line_width=line,
            fixed=True, position=position, wxyz=wxyz, depth_test=False,
            active_axes=self._freedom.axes if moves else (True, True, True),
            disable_axes=not moves, disable_sliders=not moves)
        # Names of limbs that are beside each other do not overlap at the side that each is on.
        side = int(np.sign(T[1, 3])) if abs(T[1, 3]) >= _AMID else 0
        self._aside = bool(target.name) * _ASIDE * robot_view.reach * np.array(
            [0.0, side, 0.0 if side else -0.5])
        self._label = server.scene.add_label(
            new_name(server, f'{self._handle.name}_label'), target.name or _HINT,
            anchor=_ANCHORS[side if target.name else 1], position=position + self._aside,
            font_screen_scale=_LETTERS, visible=bool(target.name) or handles.is_new)
        # The last pose that the program set, or a callback has seen: exactly, and as viser has it,
        # which does not take changes of a hundred-thousandth.
        self._T, self._seen = T, self._pose()
        self.is_dragged = self._grabbed = False
        self.T_frame_goal = np.eye(4)  # of the last drag
        self.drags: LatestValue[np.ndarray] = LatestValue(
            lambda T_frame_goal: handles.moved(target, T_frame_goal), handles.notify)
        # Asynchronous callbacks keep the order of the events.

        async def on_update(event: viser.TransformControlsEvent) -> None:
            if not self._grabbed:
                handles.grab()
            T_frame, ends = self._frame(), event.phase == 'end'
            self._on_drag(T_frame, ends)
            if ends:
                self._fit_size()
                handles.end_drag(target.name, self.T, T_frame)
        self._handle.on_update(on_update)

    def _on_drag(self, T_frame: np.ndarray, ends: bool, sends: bool = True) -> None:
        self._grabbed = self.is_dragged = True
        self._see()
        self.T_frame_goal = inverse(T_frame) @ self._T
        if sends:
            self.drags.give(self.T_frame_goal)
        self._grabbed = not ends

    @property
    def T(self) -> np.ndarray:
        """(4, 4), m, its pose; before the first callback of a drag that from before the drag."""
        return self._T.copy()

    def _pose(self) -> np.ndarray:
        return matrix(self._handle.position, self._handle.wxyz)

    def drag_to(self, T: np.ndarray, T_frame: np.ndarray | None = None,
                sends: bool = True) -> None:
        """Act as if the user had dragged it to a pose (4, 4), m.

        T_frame (4, 4), m: of the frame of its target, by default as it is drawn. sends: whether a
        goal is sent.
        """
        self._place(T)
        self._on_drag(self._frame() if T_frame is None else T_frame, ends=True, sends=sends)

    def follow(self, T_scene_target: np.ndarray) -> None:
        """Move it to the target (4, 4), m, except for what the user has set by dragging it."""
        T = T_scene_target
        if self.is_dragged:
            if self._grabbed or self.drags.busy:
                return
            T = self._freedom.merge(self._frame() @ self.T_frame_goal, T_scene_target)
        # The page's pose comes before the call of `_on_drag`.
        if np.allclose(self._pose(), self._seen, rtol=0.0, atol=_MOVED) and not (
                np.array_equal(T, self._T)):
            self._place(T)

    def release(self) -> None:
        """Let it follow the target until it is dragged again."""
        self._place(self.T)
        self.is_dragged = self._grabbed = False

    def _place(self, T: np.ndarray) -> None:
        self._handle.position, self._handle.wxyz = position_wxyz(T)
        self._fit_size()
        self._see()
        self._T = T.copy()

    def _fit_size(self) -> None:
        """Be no larger than the robot in a picture of both."""
        away = float(np.linalg.norm(self._handle.position - self._frame()[:3, 3]))
        scale = self._size * max(_LEAST, min(1.0, self._far / max(away, self._far)))
        if abs(scale - self._handle.scale) > 0.01 * self._size:
            self._handle.scale = scale

    def _see(self) -> None:
        """Take the pose of the handle to be seen, with its name beside it."""
        T = self._pose()
        if not np.array_equal(T, self._seen):
            self._T = self._seen = T
        self._label.position = self._handle.position + self._aside

    def end_hint(self) -> None:
        """Say no longer that it can be dragged."""
        self._label.visible = self._label.text != _HINT

    def show_rotations(self, shown: bool) -> None:
        """Show or hide the controls that rotate it."""
        self._handle.disable_rotations = not (shown and self._freedom.turns)

    def remove(self) -> None:
        """Remove the handle."""
        self.drags.close()
        self._handle.remove()
        self._label.remove()


class TargetHandles:
    """A handle for each target of a node that can be moved; they come and go with the targets."""

    def __init__(self, server: viser.ViserServer, robot_view: RobotView,
                 moved: Callable[[Target, np.ndarray], None], notify: Notify,
                 snapshot: Callable[[], Callable[[], None]] = lambda: lambda: None,
                 history: UndoHistory | None = None) -> None:
        """Begin without handles.

        moved: called after each drag with the target and T_frame_goal (4, 4), m, in its frame.
        notify: called with a line about an error in it. snapshot: returns a function that restores
        the present state, for the steps of history.
        """
        self._snapshot, self._history = snapshot, history or UndoHistory()
        self._before: Callable[[], None] = lambda: None  # restores what was before a drag
        self.on_grab: Callable[[], None] = lambda: None
        self.sends_goals: Callable[[], bool] = lambda: True  # by drags, which are steps then
        self.server, self.robot_view, self.moved, self.notify = server, robot_view, moved, notify
        self._gizmos: dict[Target, Gizmo] = {}
        self._waiting: dict[str, np.ndarray] = {}  # where handles are to be dragged, by task
        self._tree: object = None  # of the robot whose handles they are
        self._rotations = self.is_new = True  # is_new: none has been dragged yet
        self._changing = threading.Lock()  # a removed handle must not be moved

    def update(self) -> None:
        """Move the handles to their targets; make and remove those of changed targets."""
        robot_view = self.robot_view
        if not robot_view.is_placed:
            return
        targets = robot_view.targets
        with self._changing:
            if robot_view.tree is not self._tree:
                self._remove(set(self._gizmos))
                self._tree = robot_view.tree
            gone = self._gizmos.keys() - set(targets)
            # The goal of an arm that is dragged stays, where another handle fits it.
            self._waiting |= {one.name: self._gizmos[one].T for one in gone if not one.name
                              and self._gizmos[one].is_dragged and '' in {t.name for t in targets}}
            self._remove(gone)
            for target in targets:
                T = robot_view.target_pose(target)
                if T is not None and target in self._gizmos:
                    self._gizmos[target].follow(T)
                elif T is not None:
                    self._gizmos[target] = gizmo = Gizmo(self, target, T)
                    gizmo.show_rotations(self._rotations or bool(target.name))
                    if target.name in self._waiting:
                        gizmo.drag_to(self._waiting.pop(target.name))
            robot_view.cover_goals({target.name: None if gizmo.is_dragged else gizmo.T
                                    for target, gizmo in self._gizmos.items()})

    def named(self, name: str) -> Gizmo | None:
        """Return the handle of a task, '' for that of the arm's goal; None where there is none."""
        if self._tree is not self.robot_view.tree:  # of another robot, about to be removed
            return None
        return next((gizmo for target, gizmo in list(self._gizmos.items()) if target.name == name
                     and target in self.robot_view.targets), None)

    def drag_to(self, T_scene_goal: np.ndarray, name: str = '',
                T_frame: np.ndarray | None = None, sends: bool = True) -> bool:
        """Act as if a handle was dragged to a pose (4, 4), m; return whether there is that one.

        T_frame, sends: as for `Gizmo.drag_to`.
        """
        with self._changing:
            gizmo = self.named(name)
            if gizmo is not None:
                gizmo.drag_to(T_scene_goal, T_frame, sends)
            return gizmo is not None

    def dragged(self) -> dict[str, np.ndarray]:
        """Return the poses (4, 4), m, of handles where the user has dragged them, by task."""
        return {target.name: gizmo.T for target, gizmo in list(self._gizmos.items())
                if gizmo.is_dragged}

    def grab(self) -> None:
        """Note what there is before a drag."""
        self._before, self.is_new = self._snapshot(), False
        for gizmo in list(self._gizmos.values()):
            gizmo.end_hint()
        self.on_grab()

    def end_drag(self, name: str, T: np.ndarray, T_frame: np.ndarray) -> None:
        """Record a drag of a handle to a pose (4, 4), m, as a step of the user's.

        T_frame: as for `Gizmo.drag_to`.
        """
        if self.sends_goals() and not self.robot_view.state.is_stopped:
            self._history.record(self._before, lambda: self.drag_to(T, name, T_frame))

    def drop(self) -> None:
        """Forget drags that have not been sent yet; one that is being sent is sent on return."""
        for gizmo in list(self._gizmos.values()):
            gizmo.drags.drop()

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

    def goals(self) -> list[tuple[Target, np.ndarray]]:
        """Return the goals T_frame_goal (4, 4), m, of handles that the user has dragged."""
        return [(target, gizmo.T_frame_goal) for target, gizmo in list(self._gizmos.items())
                if gizmo.is_dragged]

    def clear(self, keeps: bool = False) -> None:
        """Remove all handles; keeps: whether the next ones are where these are dragged to."""
        with self._changing:
            self._waiting = self.dragged() if keeps else {}
            self._remove(set(self._gizmos))

    def _remove(self, targets: set[Target]) -> None:
        for target in targets:
            self._gizmos.pop(target).remove()
