"""Input of users: fields that are committed, widgets of values of the node, a play button."""

import contextlib
import functools
import math
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import viser

from ik_node.support.arguments import whole
from ik_node.support.exceptions import IkError, InputError, shown
from ik_node.support.processes import Notify
from ik_node.viewer.latest_value import LatestValue, errors_shown

_BACK = '\x1b'  # what page.js puts into a field where Escape is pressed
LENGTHS = {'': 1.0, 'm': 1.0, 'cm': 1e-2, 'mm': 1e-3}
ANGLES = {'': math.pi / 180.0, '°': math.pi / 180.0, 'deg': math.pi / 180.0, 'rad': 1.0}
PLAIN = {'': 1.0}


class Draft:
    """Text fields that are committed together: by Enter in one of them, or by their button.

    Escape in a field takes back what was typed there. A field that the user has begun to change
    keeps that, whatever `show` receives, until it is committed or discarded. What is refused goes
    back; of several fields that are committed together all stay as they were typed.
    """

    def __init__(self, gui: viser.GuiApi, commit: Callable[[Mapping[str, str]], object],
                 notify: Notify) -> None:
        """Begin without fields, which `add` adds in `container`.

        commit: called in a thread with the texts of the fields that were changed. notify: called
        with a line about an error in it.
        """
        self.container, self._gui, self._commit = gui.add_form(None), gui, commit
        self.fields: dict[str, Any] = {}
        self._reads: dict[str, Callable[[], str | None]] = {}
        self._last_texts: dict[str, str] = {}  # the texts that `show` received last
        self._changed: dict[str, str] = {}  # of fields in use
        self._waiting: dict[str, str] = {}  # committed, and not handled yet
        self._committing = 0  # the thread in which they are handled
        self._shown: set[str] = set()  # the fields that were shown another text there
        self._lock = threading.RLock()
        self._button: Any = None
        self.worker: LatestValue[None] = LatestValue(self._handle, notify)
        self.container.on_submit(self._on_commit)

    def add(self, name: str, label: str, text: str, hint: str | None = None,
            read: Callable[[], str | None] | None = None) -> Any:
        """Add a field with a text; call it in the context of `container`, or of a folder in it.

        read: returns the text that `refresh` shows, None for no other one.
        """
        if read is not None:
            self._reads[name] = read
        field = self.fields[name] = self._gui.add_text(label, text, hint=hint)
        self._last_texts[name] = text

        async def on_update(event: viser.GuiEvent[Any]) -> None:
            if event.client is not None:  # set by the user, not by the program
                self._on_typed(name, str(field.value))
        field.on_update(on_update)
        return field

    def add_button(self, label: str, hint: str) -> None:
        """Add the button that commits; it can be pressed once there is something to commit."""
        self._button = self._gui.add_button(label, hint=hint, disabled=True, color='blue')
        self._button.on_click(self._on_commit)

    def remove(self) -> None:
        """Remove all fields and the form."""
        self.worker.close()
        with self._lock:  # another thread may show something in them
            self.fields.clear()
            self._button = None
            self.container.remove()

    def show(self, name: str, text: str) -> None:
        """Show a text in a field, unless the user has begun to change it, or once that is over."""
        with self._lock:
            self._last_texts[name] = text
            if threading.get_ident() == self._committing:
                self._shown.add(name)
            if name not in self._changed and name not in self._waiting:
                self._reset(name)

    def refresh(self) -> None:
        """Show the present texts of fields that can be read."""
        for name, read in list(self._reads.items()):
            if (text := read()) is not None:
                self.show(name, text)

    async def _on_commit(self, _: Any) -> None:
        self.commit()

    def commit(self) -> None:
        """Commit what is typed; empty fields get back what they had."""
        with self._lock:
            self._waiting.update((name, text) for name, text in self._changed.items()
                                 if text.strip())
            self.discard()
        self.worker.give(None)

    def discard(self) -> None:
        """Take back what was typed and is not committed."""
        with self._lock:
            changed, self._changed = self._changed, {}
            for name in changed.keys() - self._waiting.keys():
                self._reset(name)
            self._set_button()

    def _on_typed(self, name: str, text: str) -> None:
        with self._lock:
            if _BACK in text or text == self._last_texts[name]:
                self._changed.pop(name, None)
                self._reset(name)
            else:
                self._changed[name] = text
            self._set_button()

    def _handle(self, _: None) -> None:
        with self._lock:
            waiting, before = self._waiting.copy(), self._last_texts.copy()
            self._committing = threading.get_ident()
            self._shown.clear()
        try:
            if waiting:
                self._commit(waiting)
            with self._lock:  # until the node reports its values: not the former texts
                for name, text in waiting.items():
                    if self._last_texts[name] == before[name] and name not in self._shown:
                        self._last_texts[name] = text
        except IkError:
            with self._lock:  # the others are not lost, nor what has to be corrected
                self._changed = {**(waiting if len(waiting) > 1 else {}), **self._changed}
                self._set_button()
            raise
        finally:
            with self._lock:
                for name, text in waiting.items():
                    if self._waiting.get(name) == text:
                        del self._waiting[name]
                        if name not in self._changed:  # what holds, refused or not
                            self._reset(name)

    def _reset(self, name: str) -> None:
        if name in self.fields:
            self.fields[name].value = self._last_texts[name]

    def _set_button(self) -> None:
        if self._button is not None:
            self._button.disabled = not self._changed


class NodeWidget:
    """A widget that shows a value of the node and sets it.

    What a user chooses stays until the node has it; what the node refuses goes back.
    """

    def __init__(self, widget: Any, read: Callable[[], Any], write: Callable[[Any], object],
                 notify: Notify, subject: str = '') -> None:
        """Begin with what the widget has. read: returns the value, None for none or no new one.

        write: sets it, or raises IkError, which `notify` is called with, and the subject.
        """
        self.widget, self._read, self._last = widget, read, widget.value

        def change(value: Any) -> None:
            with errors_shown(notify, subject):
                write(value)
                self._last = value
                return
            widget.value = self._last
        on_user_change(widget, change)

    def refresh(self) -> None:
        """Show the value if the node has another one, and the widget offers it."""
        value = self._read()
        if value is not None and value != self._last and (
                value in getattr(self.widget, 'options', (value,))):
            self._last = self.widget.value = value

    def offer(self, options: Sequence[str]) -> None:
        """Offer other options, and show what the node has."""
        self.widget.options, self._last = options, None
        self.refresh()


def on_user_change(widget: Any, callback: Callable[[Any], object]) -> None:
    """Call back with the value of a widget whenever a user changes it, not the program."""
    def changed(event: viser.GuiEvent[Any]) -> None:
        if event.client is not None:
            callback(widget.value)
    widget.on_update(changed)


class PlayButton:
    """A button that plays something in a thread, until it is pressed again or that is over."""

    def __init__(self, button: Any, label: str, play: Callable[[threading.Event], object],
                 work: LatestValue[Callable[[], object]],
                 on_pressed: Callable[[], object] = lambda: None) -> None:
        """Begin at rest. label: of the button while it plays, in place of its own.

        play: called in a thread, see `Panel`, with an event that is set to end it. on_pressed:
        called there after it, where the button ended it.
        """
        self._button, self._labels = button, (button.label, label)
        self._play, self._work, self._on_pressed = play, work, on_pressed
        self._stopped = threading.Event()
        self._stopped.set()
        button.on_click(lambda _: self._end() if self.plays else self._start())

    @property
    def plays(self) -> bool:
        """Whether it plays."""
        return not self._stopped.is_set()

    def stop(self) -> None:
        """Play no further."""
        self._stopped.set()
        self._button.label = self._labels[0]

    def _end(self) -> None:
        self.stop()
        self._work.give(self._on_pressed)

    def _start(self) -> None:
        self._stopped = stopped = threading.Event()  # the last one may still be ending
        self._button.label = self._labels[1]
        self._work.give(functools.partial(self._run, stopped))

    def _run(self, stopped: threading.Event) -> None:
        try:
            if not stopped.is_set():
                self._play(stopped)
        finally:
            if not stopped.is_set():
                self.stop()


def whole_number(name: str, text: str) -> int:
    """Return the whole number of a text. Raises InputError for others."""
    value = number(name, text)
    return whole(int(value) if value.is_integer() else value, name)


def number(name: str, text: str, units: Mapping[str, float] = PLAIN) -> float:
    """Return the number of a text times the factor of its unit. Raises InputError for others."""
    found = re.fullmatch(r'\s*([-+]?[\d.]+(?:[eE][-+]?\d+)?)\s*(\S*)\s*', text.replace('−', '-'))
    with contextlib.suppress(ValueError):  # of several points
        if found is not None and found[2] in units and (
                math.isfinite(value := float(found[1]) * units[found[2]])):
            return value
    allowed = ', '.join(filter(None, units))
    raise InputError(f'{name} must be a number{allowed and f", in one of {allowed}"}, not '
                     f'{shown(text)}')


def number_list(name: str, text: str) -> list[float]:
    """Return the numbers of a text, with spaces between. Raises InputError for others."""
    return [number(name, word) for word in re.split(r'[\s,;]+', text) if word]
