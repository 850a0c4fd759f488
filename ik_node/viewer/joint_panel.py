"""Joint values as sliders, and named poses."""

import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import viser

from ik_node.model.pose_library import read_poses
from ik_node.support.exceptions import IkError
from ik_node.viewer.newest import Newest
from ik_node.viewer.robot_view import RobotView

_FREE = 2.0 * np.pi   # rad, or m, to either side for a joint without limits
_SHOWN = 1e-4         # rad or m: less is not sent to the page
_ARRIVAL = 2.0        # s that joint values may take from a slider to the robot


class JointPanel:
    """A slider for every joint of the arm, or of the body; the robot follows the user's."""

    def __init__(self, server: viser.ViserServer, robot_view: RobotView,
                 notify: Callable[[str], None], on_leave: Callable[[], None]) -> None:
        """Make the widgets.

        notify: called with a message when the node refuses. on_leave: called when the robot
        leaves its goal.
        """
        self._robot_view, self._notify, self._on_leave = robot_view, notify, on_leave
        self._wanted: Newest[Mapping[str, float]] = Newest(self._go_to, self._notify)
        self._sent: tuple[Mapping[str, float], float] | None = None  # joint values, and when, s
        self._sliders: list[Any] = []
        self._others: list[Any] = []
        self._space = space = robot_view.space
        joints = [] if space is None else list(zip(
            space.joint_names, np.maximum(space.lower, -_FREE), np.minimum(space.upper, _FREE)))
        poses = self._read_poses()
        if poses:
            names = server.gui.add_dropdown('pose', list(poses))
            button = server.gui.add_button('Go to the pose')
            button.on_click(lambda _: self._wanted.give(poses[str(names.value)]))
            self._others = [names, button]
        for name, lower, upper in joints:
            slider = server.gui.add_slider(name, float(lower), float(upper), _step(lower, upper),
                                           float(np.clip(0.0, lower, upper)))
            slider.on_update(self._moved)
            self._sliders.append(slider)

    @property
    def is_outdated(self) -> bool:
        """Whether the joints are others now."""
        return self._robot_view.space is not self._space

    def close(self) -> None:
        """Remove the widgets."""
        self._wanted.close()
        for widget in (*self._others, *self._sliders):
            widget.remove()

    def drop(self) -> None:
        """Forget the joint values that the user has set and the node was not sent yet."""
        self._wanted.drop()

    def update(self) -> None:
        """Show the joint values, unless the user is moving a slider."""
        space, values = self._space, self._robot_view.values
        if (space is None or self._wanted.busy or self._robot_view.parameters.switching
                or not self._has_arrived()):
            return
        for name, slider in zip(space.joint_names, self._sliders):
            value = values.get(name)
            if value is not None and abs(value - slider.value) > _SHOWN:
                slider.value = float(np.clip(value, slider.min, slider.max))

    def _has_arrived(self) -> bool:
        """Return whether the robot is where the sliders have sent it, or should be by now.

        Until then it has the values from before, which would set the sliders back under the
        user's hand.
        """
        if self._sent is None or self._space is None:
            return True
        wanted, since = self._sent
        values = self._robot_view.values
        if time.monotonic() > since + _ARRIVAL or all(
                abs(values.get(name, np.inf) - value) <= _SHOWN
                for name, value in wanted.items()):
            self._sent = None
        return self._sent is None

    def _read_poses(self) -> dict[str, dict[str, float]]:
        """Return the named poses that have joints of the arm, or of the body."""
        file, tree = self._robot_view.parameters.get('poses'), self._robot_view.tree
        if not file or tree is None or self._space is None:
            return {}
        try:
            poses = read_poses(file, tree)
        except IkError as error:
            self._notify(str(error))
            return {}
        own = {name: {joint: value for joint, value in pose.items()
                      if joint in self._space.joint_names} for name, pose in poses.items()}
        return {name: pose for name, pose in own.items() if pose}

    def _moved(self, event: Any) -> None:
        if event.client is not None and self._space is not None:  # by the user, not by `update`
            self._wanted.give({name: float(np.clip(slider.value, slider.min, slider.max))
                               for name, slider in zip(self._space.joint_names, self._sliders)})

    def _go_to(self, values: Mapping[str, float]) -> None:
        try:
            self._robot_view.go_to(values)
            self._sent = values, time.monotonic()
            self._on_leave()
        except IkError as error:
            self._notify(str(error))


def _step(lower: float, upper: float) -> float:
    return float(10.0 ** np.floor(np.log10(max(upper - lower, 1e-6) / 1000.0)))
