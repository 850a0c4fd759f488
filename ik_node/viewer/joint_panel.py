"""Joint values as sliders, and named poses."""

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import viser

from ik_node.exceptions import IkError
from ik_node.motion.pose_library import read_poses
from ik_node.viewer.station import Station

_FREE = 2.0 * np.pi   # rad, or m, to either side for a joint without limits
_SHOWN = 1e-4         # rad or m: less is not sent to the page


class JointPanel:
    """A slider for every joint of the arm; moved by hand the arm goes there."""

    def __init__(self, server: viser.ViserServer, station: Station,
                 tell: Callable[[str], None]) -> None:
        """Make the widgets. tell: where a line goes when the node refuses."""
        self._station, self._tell = station, tell
        self._wanted: Any = None
        self._new, self._closed = threading.Event(), False
        self._sliders: list[Any] = []
        chain = station.chain
        joints = [] if chain is None else list(zip(
            chain.joint_names, np.maximum(chain.lower, -_FREE), np.minimum(chain.upper, _FREE)))
        self._poses = self._read_poses()
        if self._poses:
            poses = server.gui.add_dropdown('pose', self._poses)
            server.gui.add_button('Go to the pose').on_click(
                lambda _: self._want(str(poses.value)))
        for name, lower, upper in joints:
            slider = server.gui.add_slider(name, float(lower), float(upper), _step(lower, upper),
                                           float(np.clip(0.0, lower, upper)))
            slider.on_update(self._moved)
            self._sliders.append(slider)
        threading.Thread(target=self._send, name='joints', daemon=True).start()

    def close(self) -> None:
        """Listen no more."""
        self._closed = True
        self._new.set()

    def update(self) -> None:
        """Show where the joints are, unless a hand holds them."""
        chain, values = self._station.chain, self._station.values
        if chain is None or self._new.is_set():
            return
        for name, slider in zip(chain.joint_names, self._sliders):
            value = values.get(name)
            if value is not None and abs(value - slider.value) > _SHOWN:
                slider.value = float(np.clip(value, slider.min, slider.max))

    def _read_poses(self) -> list[str]:
        file, tree = self._station.parameters.get('poses'), self._station.tree
        if not file or tree is None:
            return []
        try:
            return list(read_poses(file, tree))
        except IkError as error:
            self._tell(str(error))
            return []

    def _moved(self, event: Any) -> None:
        if event.client is not None:  # the user's hand, not `update`
            self._want([float(slider.value) for slider in self._sliders])

    def _want(self, posture: list[float] | str) -> None:
        self._wanted = posture
        self._new.set()

    def _send(self) -> None:
        while True:
            self._new.wait()
            if self._closed:
                return
            wanted = self._wanted
            try:
                self._station.go_to(wanted)
            except IkError as error:
                self._tell(str(error))
            if wanted is self._wanted:
                self._new.clear()


def _step(lower: float, upper: float) -> float:
    return float(10.0 ** np.floor(np.log10(max(upper - lower, 1e-6) / 1000.0)))
