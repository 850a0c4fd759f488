"""The solver of a node and its options, as widgets made from the node's own parameters."""

from collections.abc import Callable
from typing import Any

import viser

from ik_node.ros.link import Described, SilentError
from ik_node.viewer.station import Station

_WIDE = 1e6  # bounds further out than this are no use for a slider


class SolverPanel:
    """Chooses the solver and sets its options; follows what others set."""

    def __init__(self, server: viser.ViserServer, station: Station,
                 tell: Callable[[str], None]) -> None:
        """Make the widgets. tell: where the node's reason goes when it refuses a value."""
        self._server, self._station, self._tell = server, station, tell
        self._shown: dict[str, Any] = {}      # widgets by parameter
        self._solver = ''
        names = [station.option_name('solver'), 'motion', 'on_failure']
        described = station.link.describe(names)
        for name in names:
            self._choose(described[name])
        self._folder = server.gui.add_folder('Options', expand_by_default=False)
        self._options: list[Any] = []
        self._show_options()

    def update(self) -> None:
        """Follow the parameters as they are now."""
        if self._station.option('solver') != self._solver:
            self._show_options()
        for name, widget in self._shown.items():
            value = self._station.parameters.get(name)
            if value is not None and _as_shown(widget, value) != widget.value:
                widget.value = _as_shown(widget, value)

    def _choose(self, one: Described) -> None:
        widget = self._server.gui.add_dropdown(
            one.name, one.choices, initial_value=str(one.value), hint=one.text)
        self._shown[one.name] = widget
        self._follow(widget, one)

    def _show_options(self) -> None:
        """Make the widgets of the options of the solver that is chosen now."""
        self._solver = str(self._station.option('solver'))
        for widget in self._options:
            widget.remove()
        self._shown = {name: widget for name, widget in self._shown.items()
                       if widget not in self._options}
        self._options = []
        try:
            described = self._station.link.parameters([self._station.option_name(self._solver)])
        except SilentError as error:
            self._tell(str(error))
            return
        with self._folder:
            for one in described.values():
                widget = self._widget(one)
                self._options.append(widget)
                self._shown[one.name] = widget
                self._follow(widget, one)

    def _widget(self, one: Described) -> Any:
        gui, label, hint = self._server.gui, one.name.rsplit('.', 1)[-1], one.text
        if one.choices:
            return gui.add_dropdown(label, one.choices, initial_value=str(one.value), hint=hint)
        if isinstance(one.value, bool):
            return gui.add_checkbox(label, one.value, hint=hint)
        if isinstance(one.value, int):
            return gui.add_number(label, one.value, min=_bound(one.low), max=_bound(one.high),
                                  step=1, hint=hint)
        # Numbers over many decades, lists, and what may be "none": as text, which the node reads.
        return gui.add_text(label, _text(one.value), hint=hint)

    def _follow(self, widget: Any, one: Described) -> None:
        def changed(event: Any) -> None:
            if event.client is None:  # set by `update`, not by the user
                return
            try:
                self._station.link.set_parameters({one.name: _value(widget.value, one.value)})
            except (SilentError, ValueError) as error:
                self._tell(f'{one.name}: {error}')
                widget.value = _as_shown(widget, self._station.parameters.get(one.name, one.value))
        widget.on_update(changed)


def _bound(bound: float | None) -> int | None:
    return None if bound is None or abs(bound) > _WIDE else int(bound)


def _text(value: Any) -> str:
    return ', '.join(map(str, value)) if isinstance(value, (list, tuple)) or hasattr(
        value, 'tolist') else str(value)


def _as_shown(widget: Any, value: Any) -> Any:
    return _text(value) if isinstance(widget.value, str) else value


def _value(shown: Any, before: Any) -> Any:
    """Return what a widget holds as a parameter; numbers and lists out of text."""
    if not isinstance(shown, str):
        return shown
    parts = [part for part in shown.replace(',', ' ').split() if part]
    try:
        numbers = [float(part) for part in parts]
    except ValueError:
        return shown
    listed = not isinstance(before, (str, float)) or len(numbers) > 1
    return numbers if listed else numbers[0] if numbers else shown
