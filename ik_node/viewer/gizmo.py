"""The handle of a target: dragging it sends goals; otherwise it follows the target."""

import threading
from collections.abc import Callable

import numpy as np
import viser

from ik_node.spatial import inverse
from ik_node.support.threads import Notify
from ik_node.viewer.newest import Newest
from ik_node.viewer.poses import matrix, position_wxyz
from ik_node.viewer.scene_names import new_name
from ik_node.viewer.targets import Freedom

_MOVED = 1e-5  # m and entries of a rotation matrix: less is no motion
_LETTERS = 0.9  # of the usual size
_BELOW = 0.2    # of the scale: the label below the centre


class Gizmo:
    """A handle in the scene. Of drags faster than they can be handled the newest counts.

    Where the user has dragged it, it stays in the frame of its target: in the parts of the pose
    that it sets.
    """

    def __init__(self, server: viser.ViserServer, name: str, T: np.ndarray, scale: float,
                 moved: Callable[[np.ndarray], None], frame: Callable[[], np.ndarray] | None = None,
                 freedom: Freedom | None = None, label: str = '',
                 notify: Notify | None = None) -> None:
        """Create the handle at a pose (4, 4), m, of the scene.

        moved: called with T_frame_goal (4, 4), m, after each drag. frame: returns T_scene_frame
        (4, 4), m, of the target's frame; by default that of the scene. freedom: by default all.
        label: the text beside it. notify: called with a line about a defect in `moved` or `frame`.
        """
        self._freedom = Freedom() if freedom is None else freedom
        self._frame = frame or (lambda: np.eye(4))
        position, wxyz = position_wxyz(T)
        moves = any(self._freedom.axes)
        self._handle = server.scene.add_transform_controls(
            new_name(server, name), scale=scale, position=position, wxyz=wxyz, depth_test=False,
            active_axes=self._freedom.axes if moves else (True, True, True),
            disable_axes=not moves, disable_sliders=not moves,
            disable_rotations=not self._freedom.turns)
        if label:
            server.scene.add_label(f'{self._handle.name}/label', label, anchor='top-center',
                                   position=(0.0, 0.0, -_BELOW * scale),
                                   font_screen_scale=_LETTERS)
        self._placing = threading.Lock()  # held by what sets the pose, from several threads
        self._seen = self.T  # the last pose that the program set, or a callback has seen
        self._dragged = self._grabbed = False
        self._T_frame_goal = np.eye(4)  # the last goal that was sent
        self._moved = moved
        self._drags = Newest(self._send, notify)
        # Asynchronous callbacks keep the order of the events.

        async def on_update(event: viser.TransformControlsEvent) -> None:
            self._on_drag(ends=event.phase == 'end')
        self._handle.on_update(on_update)

    def _on_drag(self, ends: bool) -> None:
        self._grabbed = self._dragged = True
        self._seen = self.T
        self._drags.give(self._seen)
        self._grabbed = not ends

    def _send(self, T: np.ndarray) -> None:
        self._T_frame_goal = inverse(self._frame()) @ T
        self._moved(self._T_frame_goal)

    @property
    def T(self) -> np.ndarray:
        """(4, 4), m, its pose."""
        return matrix(self._handle.position, self._handle.wxyz)

    @property
    def is_dragged(self) -> bool:
        """Whether the user has dragged it since it last followed its target."""
        return self._dragged

    def drag_to(self, T: np.ndarray) -> None:
        """Act as if the user had dragged it to a pose (4, 4), m."""
        with self._placing:
            self._place(T)
            self._on_drag(ends=True)

    def follow(self, T_scene_target: np.ndarray) -> None:
        """Move it to the target (4, 4), m, except for what the user has set by dragging it."""
        with self._placing:
            self._follow(T_scene_target)

    def _follow(self, T_scene_target: np.ndarray) -> None:
        T = T_scene_target
        if self._dragged:
            if self._grabbed or self._drags.busy:
                return
            T = self._freedom.merge(self._frame() @ self._T_frame_goal, T_scene_target)
        # The page's pose comes before the call of `_on_drag`.
        if np.allclose(self.T, self._seen, rtol=0.0, atol=_MOVED) and (
                np.abs(T - self._seen).max() > _MOVED):
            self._place(T)

    def drop(self) -> None:
        """Forget a drag that has not been sent yet; one that is being sent is sent on return."""
        self._drags.drop()

    def release(self) -> None:
        """Let it follow the target until it is dragged again."""
        with self._placing:
            self._place(self.T)
            self._dragged = self._grabbed = False

    def _place(self, T: np.ndarray) -> None:
        self._handle.position, self._handle.wxyz = position_wxyz(T)
        self._seen = self.T

    def show_rotations(self, shown: bool) -> None:
        """Show or hide the controls that rotate it."""
        self._handle.disable_rotations = not (shown and self._freedom.turns)

    def remove(self) -> None:
        """Remove the handle."""
        self._drags.close()
        self._handle.remove()
