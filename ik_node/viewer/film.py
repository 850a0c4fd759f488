"""Pictures and films of the page."""

import functools
import threading
import time
from typing import Any

import imageio.v3 as iio
import numpy as np
import viser

from ik_node.support.threads import start_thread
from ik_node.viewer.panel import Page

_PICTURE = 1200, 1600  # pixels, height and width
_FILM = 360, 480
_PERIOD = 0.1          # s between two frames, at least
_LONGEST = 20.0        # s of a film
_PATIENCE = 60.0       # s that a browser may take for a picture
_ACTIVE = 4.0          # s after a click in which browsers save files without asking
_RECORD, _FINISH = 'Record a film', 'Finish the film'


class FilmButtons:
    """Buttons that save what a browser shows, as a picture or as an animated GIF."""

    def __init__(self, page: Page) -> None:
        """Make the buttons, in the present folder."""
        self._notify = page.notify
        self._finished = threading.Event()
        self._finished.set()
        self._pressed = 0.0  # when the button was, s
        gui = page.server.gui
        gui.add_button('Save a picture').on_click(_save_picture)
        self._button = gui.add_button(
            _RECORD, hint=f'as an animated GIF, of at most {_LONGEST:.0f} s; press again to finish')
        self._button.on_click(lambda event: self._on_button(event.client))

    def close(self) -> None:
        """Finish a film."""
        self._finished.set()

    def _on_button(self, client: viser.ClientHandle | None) -> None:
        self._pressed = time.monotonic()
        if not self._finished.is_set():
            self._finished.set()
        elif client is not None:
            self._finished = threading.Event()
            start_thread(functools.partial(self._record, client, self._finished), 'film',
                         self._notify)

    def _record(self, client: viser.ClientHandle, finished: threading.Event) -> None:
        """Take pictures until the film is finished, and send it to the browser."""
        frames: list[np.ndarray] = []
        times = [time.monotonic()]
        self._button.label = _FINISH
        try:
            while not frames or not (finished.is_set() or times[-1] > times[0] + _LONGEST):
                frames.append(client.get_render(*_FILM, timeout=_PATIENCE))
                finished.wait(times[-1] + _PERIOD - time.monotonic())
                times.append(time.monotonic())
        except TimeoutError:
            self._notify('The browser sends no pictures.')
        finally:
            finished.set()
            self._button.label = _RECORD
        if frames:
            content = film(frames, np.diff(times))
            # Later a browser may block it: the page then shows a link.
            client.send_file_download('ik_view.gif', content, save_immediately=(
                time.monotonic() < self._pressed + _ACTIVE))


def film(frames: list[np.ndarray], durations: Any) -> bytes:
    """Return pictures (height, width, 3) as an animated GIF; durations (k,): of each, s."""
    each = [max(20, round(1e3 * one)) for one in durations]
    # A single picture is not written as an animation, which alone may have a list of durations.
    content: bytes = iio.imwrite('<bytes>', np.array(frames), extension='.gif', loop=0,
                                 duration=each if len(each) > 1 else each[0])
    return content


def _save_picture(event: viser.GuiEvent) -> None:
    client = event.client
    if client is not None:
        client.send_file_download('ik_view.png', iio.imwrite(
            '<bytes>', client.get_render(*_PICTURE), extension='.png'), save_immediately=True)
