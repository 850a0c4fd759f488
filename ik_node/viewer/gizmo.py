"""The goal to drag: what the user does with it becomes goals; it stays where it was left."""

import threading
from collections.abc import Callable

import numpy as np
import viser

from ik_node.viewer.poses import matrix, position_wxyz


class Gizmo:
    """A handle in the scene. Drags come as fast as the page sends them; the newest counts."""

    def __init__(self, server: viser.ViserServer, name: str, T: np.ndarray, scale: float,
                 moved: Callable[[np.ndarray], None]) -> None:
        """Stand at a pose (4, 4), m. moved: called with the pose where the user has dragged it."""
        position, wxyz = position_wxyz(T)
        self._handle = server.scene.add_transform_controls(
            name, scale=scale, position=position, wxyz=wxyz, depth_test=False)
        self._moved = moved
        self._new, self._closed = threading.Event(), False
        self._handle.on_update(lambda _: self._new.set())
        threading.Thread(target=self._hand_on, name='gizmo', daemon=True).start()

    @property
    def T(self) -> np.ndarray:
        """(4, 4), m, where it stands."""
        return matrix(self._handle.position, self._handle.wxyz)

    def stand_at(self, T: np.ndarray) -> None:
        """Move it to a pose (4, 4), m; nothing is sent for that."""
        self._handle.position, self._handle.wxyz = position_wxyz(T)

    def show_rotations(self, shown: bool) -> None:
        """Offer to turn it, or not."""
        self._handle.disable_rotations = not shown

    def remove(self) -> None:
        """Take it away."""
        self._closed = True
        self._new.set()
        self._handle.remove()

    def _hand_on(self) -> None:
        while True:
            self._new.wait()
            self._new.clear()
            if self._closed:
                return
            self._moved(self.T)
