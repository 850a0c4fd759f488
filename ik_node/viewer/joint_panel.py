"""Joint values as sliders, and named poses."""

import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from ik_node.model.joint_space import JointSpace
from ik_node.model.pose_library import read_poses
from ik_node.viewer.latest_value import errors_shown
from ik_node.viewer.panel import Page, Panel, on_user_change

_FREE = 2.0 * np.pi   # rad, or m, to either side for a joint without limits
_SHOWN = 1e-4         # rad or m: less is not sent to the page
_ARRIVAL = 2.0        # s that joint values may take from a slider to the robot


class JointPanel(Panel):
    """A slider for every joint of the arm, or of the body; the robot follows the user's."""

    needs = 'node'

    def __init__(self, page: Page) -> None:
        super().__init__(page, 'Joints')
        self._wanted = self._worker(self._go_to)
        self._sent: tuple[Mapping[str, float], float] | None = None  # joint values, and when, s
        self._sliders: dict[str, Any] = {}
        self._others: list[Any] = []
        self._space: JointSpace | None = None

    def drop(self) -> None:
        """Forget the joint values that the user has set and the node was not sent yet."""
        self._wanted.drop()

    def _make(self, space: JointSpace | None) -> None:
        for widget in (*self._others, *self._sliders.values()):
            widget.remove()
        self._space, self._sent, self._sliders, self._others = space, None, {}, []
        if space is None:
            return
        poses = self._read_poses(space)
        with self._folder:
            if poses:
                names = self._gui.add_dropdown('pose', list(poses))
                button = self._gui.add_button('Go to the pose')
                button.on_click(lambda _: self._wanted.give(poses[str(names.value)]))
                self._others = [names, button]
            for name, lower, upper in zip(space.joint_names, np.maximum(space.lower, -_FREE),
                                          np.minimum(space.upper, _FREE)):
                step = 10.0 ** np.floor(np.log10(max(upper - lower, 1e-6) / 1000.0))
                slider = self._gui.add_slider(name, float(lower), float(upper), float(step),
                                              float(np.clip(0.0, lower, upper)))
                on_user_change(slider, lambda _: self._wanted.give({
                    name: float(np.clip(one.value, one.min, one.max))
                    for name, one in self._sliders.items()}))
                self._sliders[name] = slider

    def _read_poses(self, space: JointSpace) -> dict[str, dict[str, float]]:
        """Return the named poses that have joints of the arm, or of the body."""
        file, tree = self._robot_view.parameters.get('poses'), self._robot_view.tree
        poses: Mapping[str, Mapping[str, float]] = {}
        with errors_shown(self._notify):
            poses = read_poses(file, tree) if file and tree is not None else {}
        own = {name: {joint: value for joint, value in pose.items() if joint in space.joint_names}
               for name, pose in poses.items()}
        return {name: pose for name, pose in own.items() if pose}

    def _refresh(self, visible: bool) -> None:
        """Show the joint values, unless the user is moving a slider."""
        if self._robot_view.space is not self._space:
            self._make(self._robot_view.space)
        if (self._wanted.busy or self._robot_view.parameters.switching
                or not self._has_arrived()):
            return
        for name, slider in self._sliders.items():
            value = self._robot_view.values.get(name)
            if value is not None and abs(value - slider.value) > _SHOWN:
                slider.value = float(np.clip(value, slider.min, slider.max))

    def _has_arrived(self) -> bool:
        """Return whether the robot is where the sliders have sent it, or should be by now.

        Until then it has the values from before, which would set the sliders back under the
        user's hand.
        """
        if self._sent is not None:
            wanted, since = self._sent
            values = self._robot_view.values
            if time.monotonic() > since + _ARRIVAL or all(
                    abs(values.get(name, np.inf) - value) <= _SHOWN
                    for name, value in wanted.items()):
                self._sent = None
        return self._sent is None

    def _go_to(self, values: Mapping[str, float]) -> None:
        self._robot_view.go_to(values)
        self._sent = values, time.monotonic()
        self._page.handles.release()
