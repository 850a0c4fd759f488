"""The goal's handle: dragging it sends goals; otherwise it follows the tip."""

from collections.abc import Callable

import numpy as np
import viser

from ik_node.viewer.newest import Newest
from ik_node.viewer.poses import matrix, position_wxyz
from ik_node.viewer.scene_names import new_name

_MOVED = 1e-5  # m and entries of a rotation matrix: less is no motion


class Gizmo:
    """A handle in the scene. Of drags faster than they can be handled the newest counts."""

    def __init__(self, server: viser.ViserServer, name: str, T: np.ndarray, scale: float,
                 moved: Callable[[np.ndarray], None]) -> None:
        """Create the handle at a pose (4, 4), m. moved: called with the pose after each drag."""
        position, wxyz = position_wxyz(T)
        self._handle = server.scene.add_transform_controls(
            new_name(server, name), scale=scale, position=position, wxyz=wxyz, depth_test=False)
        self._placed = self.T  # the last pose that was set by the program
        self._dragged = False
        self._drags = Newest(moved)
        self._handle.on_update(lambda _: self._on_drag())

    def _on_drag(self) -> None:
        self._dragged = True
        self._drags.give(self.T)

    @property
    def T(self) -> np.ndarray:
        """(4, 4), m, its pose."""
        return matrix(self._handle.position, self._handle.wxyz)

    def move_to(self, T: np.ndarray) -> None:
        """Move it to a pose (4, 4), m, to stay there, without sending a goal."""
        self._place(T)
        self._dragged = True

    def follow(self, T_root_tip: np.ndarray) -> None:
        """Move it to the tip (4, 4), m, unless the user has dragged it."""
        # The page's pose comes before the call of `_on_drag`.
        if not self._dragged and np.allclose(self.T, self._placed, rtol=0.0, atol=_MOVED) and (
                np.abs(T_root_tip - self._placed).max() > _MOVED):
            self._place(T_root_tip)

    def release(self) -> None:
        """Let it follow the tip until it is dragged again."""
        self._place(self.T)
        self._dragged = False

    def _place(self, T: np.ndarray) -> None:
        self._handle.position, self._handle.wxyz = position_wxyz(T)
        self._placed = self.T

    def show_rotations(self, shown: bool) -> None:
        """Show or hide the controls that rotate it."""
        self._handle.disable_rotations = not shown

    def remove(self) -> None:
        """Remove the handle."""
        self._drags.close()
        self._handle.remove()
