"""A time slider for a motion that a player plays, such as `ik_play`."""

import functools
import math
import time
from typing import Any

import viser

from ik_node.mocap.playhead import MAX_SPEED
from ik_node.ros.clients.player_link import Playback, PlayerLink
from ik_node.support.exceptions import IkError
from ik_node.viewer.draft import number
from ik_node.viewer.latest_value import errors_shown
from ik_node.viewer.panel import Page, Panel

_HOLD = 0.5         # s after the user's last change in which the slider stays where it was put
_STEPS = 1000       # of the slider, at least
_SLOWEST = 0.001    # s of the motion per second
_PLAY, _PAUSE, _AGAIN = 'Play', 'Pause', 'Play again'


class PlaybackPanel(Panel):
    """Time, play and pause, speed and loop of a player; hidden while there is none."""

    needs = 'page'

    def __init__(self, page: Page, link: PlayerLink, starts: bool = False) -> None:
        """Make the widgets. starts: whether the player, which is paused, plays once one looks."""
        super().__init__(page, 'Playback', is_expanded=True)
        self._link, self._starts, gui = link, starts, self._gui
        with self._folder:
            self._slider: Any = gui.add_slider('time, s', 0.0, 1.0, 0.001, 0.0)
            self._place = gui.add_markdown('')
            self._button = gui.add_button(_PLAY, icon=viser.Icon.PLAYER_PLAY)
            with self._draft_of(lambda typed: self._command('speed', min(max(
                    number('speed', typed['speed']), _SLOWEST), MAX_SPEED))).container:
                self._draft.add('speed', 'speed', '1', 'seconds of the motion per second, '
                                f'{_SLOWEST:g} to {MAX_SPEED:g}')
            self._node_widget(
                'loop', gui.add_checkbox('loop', False, hint='begin again at the end'),
                lambda: None if (playback := self._present()) is None else playback.loop,
                functools.partial(self._command, 'loop'))
        self._changed = 0.0  # when the user last moved the slider or set a value
        self._button.on_click(lambda _: self._on_button())

        async def on_update(event: Any) -> None:  # asynchronous: the value is read at once
            if event.client is not None:  # set by the user, not by `update`
                self._changed = time.monotonic()
                self._work.give(functools.partial(self._command, 'time', min(max(
                    self._slider.value, self._slider.min), self._slider.max)))
        self._slider.on_update(on_update)

    def _is_useful(self) -> bool:
        return self._link.playback is not None and not self._page.is_staged

    def _refresh(self, visible: bool) -> None:
        playback = self._link.playback
        if playback is None:
            return
        slider, length = self._slider, max(playback.stop - playback.start, 1e-6)
        digits = max(0, math.ceil(math.log10(_STEPS / length)))
        slider.min, slider.max = playback.start, playback.start + length
        slider.step, slider.precision = 10.0**-digits, digits
        rests = playback.paused or _ended(playback)
        self._button.label = _AGAIN if _ended(playback) else _PLAY if rests else _PAUSE
        self._button.icon = viser.Icon.PLAYER_PLAY if rests else viser.Icon.PLAYER_PAUSE
        if self._starts and self._server.get_clients():
            self._starts = False
            self._work.give(functools.partial(self._link.pause, False))
        if self._present() is not None:  # the text says what the slider shows
            slider.value = min(max(round(playback.time, digits), playback.start), playback.stop)
            self._place.content = (
                f'{playback.time:.2f} of {playback.stop:.2f} s, frame {playback.frame} of '
                f'{playback.frames}, {playback.message}')
            self._draft.show('speed', f'{playback.speed:g}')

    def _present(self) -> Playback | None:
        """Return the playback, None while the player may not have yet what the user has set."""
        playback = self._link.playback
        return None if playback is None or self._work.busy or (
            playback.received < self._changed + _HOLD) else playback

    def _on_button(self) -> None:
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
