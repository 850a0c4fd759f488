"""A time slider for a motion that a player plays, such as `ik_play`."""

import functools
import math
import time
from typing import Any

from ik_node.mocap.playhead import MAX_SPEED
from ik_node.ros.clients.player_link import Playback, PlayerLink
from ik_node.support.exceptions import IkError
from ik_node.viewer.latest_value import errors_shown
from ik_node.viewer.panel import Page, Panel

_HOLD = 0.5         # s after the user's last change in which the slider stays where it was put
_STEPS = 1000       # of the slider, at least
_SLOWEST = 0.001    # s of the motion per second
_SPEED_STEP = 0.05
_PLAY, _PAUSE, _AGAIN = 'Play', 'Pause', 'Play again'


class PlaybackPanel(Panel):
    """Time, play and pause, speed and loop of a player; hidden while there is none."""

    needs = 'page'

    def __init__(self, page: Page, link: PlayerLink) -> None:
        """Make the folder, hidden."""
        super().__init__(page, 'Playback')
        self._link = link
        self._range: tuple[float, float] | None = None  # of the slider
        self._inputs: dict[str, Any] = {}  # widgets by the parameters that they set
        self._others: list[Any] = []
        self._digits = 3  # after the point, of the times of the slider
        self._changed = 0.0  # when the user last moved the slider or set a value
        self._changes = {name: self._worker(functools.partial(self._command, name))
                         for name in ('time', 'speed', 'loop')}

    @property
    def has_player(self) -> bool:
        """Whether there was a player at the last update."""
        return bool(self._folder.visible)

    def _is_useful(self) -> bool:
        return self._link.playback is not None

    def _refresh(self, visible: bool) -> None:
        playback = self._link.playback
        if playback is None:
            return
        if (playback.start, playback.stop) != self._range:
            self._make(playback)
        self._button.label = _label(playback)
        self._place.content = (
            f'{playback.time:.2f} of {playback.stop:.2f} s, frame {playback.frame} of '
            f'{playback.frames}, {playback.message}')
        if any(change.busy for change in self._changes.values()) or (
                playback.received < self._changed + _HOLD):
            return  # what the user sets stays until the player has it
        self._inputs['time'].value = self._shown(playback.time)
        self._inputs['speed'].value = playback.speed
        self._inputs['loop'].value = playback.loop

    def _make(self, playback: Playback) -> None:
        for widget in (*self._inputs.values(), *self._others):
            widget.remove()
        self._range = start, stop = playback.start, playback.stop
        gui, last = self._gui, max(stop, start + 1e-6)
        self._digits = max(0, math.ceil(math.log10(_STEPS / (last - start))))
        with self._folder:
            slider = gui.add_slider('time, s', start, last, 10.0**-self._digits,
                                    self._shown(playback.time))
            self._place = gui.add_markdown('')
            self._button = gui.add_button(_label(playback))
            speed = gui.add_number('speed', playback.speed, min=_SLOWEST, max=MAX_SPEED,
                                   step=_SPEED_STEP, hint='seconds of the motion per second')
            loop = gui.add_checkbox('loop', playback.loop, hint='begin again at the end')
        self._inputs = {'time': slider, 'speed': speed, 'loop': loop}
        self._others = [self._place, self._button]
        self._button.on_click(lambda _: self._on_button())
        for name, widget in self._inputs.items():
            self._listen(name, widget)

    def _shown(self, seconds: float) -> float:
        """Return a time, s, as the slider shows it."""
        start, stop = self._range or (seconds, seconds)
        return min(max(round(seconds, self._digits), start), stop)

    def _listen(self, name: str, widget: Any) -> None:
        """Set a parameter of the player to what the user sets in a widget.

        The callback is asynchronous, so that `update` cannot change the value before it is read.
        """
        async def on_update(event: Any) -> None:
            if event.client is not None:  # set by the user, not by `update`
                self._changed = time.monotonic()
                value = widget.value
                self._changes[name].give(self._shown(float(value)) if name == 'time' else value)
        widget.on_update(on_update)

    def _on_button(self) -> None:
        """Play or pause; at the end begin again."""
        playback = self._link.playback
        if playback is None:
            return
        with errors_shown(self._notify):
            if _ended(playback):
                self._command('time', playback.start)
            if playback.paused or not _ended(playback):
                self._link.pause(not playback.paused)

    def _command(self, name: str, value: float | bool) -> None:
        """Set a parameter of the player. Raises IkError for a refusal."""
        self._changed = time.monotonic()
        try:
            self._link.set(name, value)
        except IkError:
            self._changed = 0.0  # show what holds
            raise


def _ended(playback: Playback) -> bool:
    return playback.time >= playback.stop and not playback.loop


def _label(playback: Playback) -> str:
    return _AGAIN if _ended(playback) else _PLAY if playback.paused else _PAUSE
