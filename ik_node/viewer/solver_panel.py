"""The solver of a node and its options, as widgets made from the node's own parameters."""

from collections.abc import Callable
from typing import Any

import viser

from ik_node.control.options import BODY_SOLVERS, solves_arms
from ik_node.ros.clients.connection import Described, SilentError
from ik_node.viewer.newest import Newest
from ik_node.viewer.option_groups import FIRST, default_values, grouped
from ik_node.viewer.robot_view import RobotView

_WIDE = 1e6  # larger bounds are not useful for a widget


class SolverPanel:
    """Widgets for the solver and its options, which follow the node's parameters."""

    def __init__(self, server: viser.ViserServer, robot_view: RobotView,
                 notify: Callable[[str], None]) -> None:
        """Make the widgets. notify: called with the node's reason when it refuses a value."""
        self._server, self._robot_view, self._notify = server, robot_view, notify
        self._shown: dict[str, Any] = {}      # widgets by parameter
        self._last_values: dict[str, Any] = {}  # the node's values that they have shown
        self._solver = ''
        names = [robot_view.parameters.option_name('solver'), 'motion', 'on_failure']
        described = robot_view.connection.describe(names)
        self._solvers = described[names[0]].choices
        for name in names:
            self._choose(described[name])
        self._folder = server.gui.add_folder('Options', expand_by_default=False)
        self._options: list[Any] = []  # widgets in the folder, and the folders of groups
        self._wanted: Newest[str] = Newest(self._show_options, notify)  # it waits for the node
        self.update()

    def update(self) -> None:
        """Show the current parameters."""
        parameters = self._robot_view.parameters
        if self._robot_view.state.responds:
            self._offer_solvers()
            if parameters.option('solver') != self._solver:
                self._solver = str(parameters.option('solver'))
                self._wanted.give(self._solver)
        for name, widget in list(self._shown.items()):
            value = parameters.get(name)
            if value is None or value == self._last_values.get(name):
                continue  # what the user sets meanwhile stays, until the node has it
            self._last_values[name] = value
            if _as_shown(widget, value) != widget.value:
                widget.value = _as_shown(widget, value)

    def _offer_solvers(self) -> None:
        """Offer those solvers that the node takes: of one arm, of the body, or both."""
        parameters = self._robot_view.parameters
        arms, body = not (parameters.tasks or parameters.moves_root), not self._robot_view.arm
        offered = tuple(name for name in self._solvers
                        if (body and name in BODY_SOLVERS) or (arms and solves_arms(name)))
        widget = self._shown[parameters.option_name('solver')]
        if tuple(widget.options) != offered and parameters.option('solver') in offered:
            widget.options = offered

    def _choose(self, one: Described) -> None:
        widget = self._server.gui.add_dropdown(
            one.name, one.choices, initial_value=str(one.value), hint=one.text)
        self._shown[one.name] = widget
        self._follow(widget, one)

    def _show_options(self, solver: str) -> None:
        """Make the widgets of a solver's options."""
        for made in self._options:
            made.remove()
        self._shown = {name: widget for name, widget in self._shown.items()
                       if not self._is_option(name)}
        self._options = []
        try:
            described = self._robot_view.connection.parameters([solver])
        except SilentError as error:
            self._solver = ''  # `update` tries again when the node responds
            self._notify(str(error))
            return
        defaults, by_option = default_values(solver), {
            name.rpartition('.')[2]: one for name, one in described.items()}
        with self._folder:
            for group, names in grouped(by_option).items():
                folder = self._server.gui.add_folder(group, expand_by_default=group == FIRST)
                self._options.append(folder)
                with folder:
                    for name in names:
                        one = by_option[name]
                        widget = self._widget(one, defaults.get(name))
                        self._shown[one.name] = widget
                        self._follow(widget, one)
            if defaults:
                reset = self._server.gui.add_button(
                    'All defaults', hint=f'sets every option of {solver} to its default')
                reset.on_click(lambda _: self._reset(
                    {one.name: defaults[name] for name, one in by_option.items()
                     if name in defaults and not one.read_only}))
                self._options.append(reset)

    def _is_option(self, parameter: str) -> bool:
        """Return whether a parameter that is shown is an option of a solver."""
        return parameter.rpartition('.')[0] in self._solvers

    def _reset(self, values: dict[str, Any]) -> None:
        """Set options to these values."""
        try:
            self._robot_view.connection.set_parameters(values)
        except SilentError as error:
            self._notify(str(error))

    def _widget(self, one: Described, default: Any) -> Any:
        gui, label, hint = self._server.gui, one.name.rsplit('.', 1)[-1], one.text
        if default is not None:
            hint = f'{hint}; default: {_text(default)}'
        if one.choices:
            return gui.add_dropdown(label, one.choices, initial_value=str(one.value), hint=hint)
        if isinstance(one.value, bool):
            return gui.add_checkbox(label, one.value, hint=hint)
        if isinstance(one.value, int):
            return gui.add_number(label, one.value, min=_bound(one.low), max=_bound(one.high),
                                  step=1, hint=hint)
        # Numbers over many decades, lists, and values that may be "none" are edited as text.
        return gui.add_text(label, _text(one.value), hint=hint)

    def _follow(self, widget: Any, one: Described) -> None:
        def changed(event: Any) -> None:
            if event.client is None:  # set by `update`, not by the user
                return
            try:
                value = _value(widget.value, one.value)
                self._robot_view.set_parameter(one.name, value)
                self._last_values[one.name] = value
            except (SilentError, ValueError) as error:
                self._notify(f'{one.name}: {error}')
                widget.value = _as_shown(
                    widget, self._robot_view.parameters.get(one.name, one.value))
        self._last_values[one.name] = one.value
        widget.on_update(changed)


def _bound(bound: float | None) -> int | None:
    return None if bound is None or abs(bound) > _WIDE else int(bound)


def _text(value: Any) -> str:
    return ', '.join(map(str, value)) if isinstance(value, (list, tuple)) or hasattr(
        value, 'tolist') else str(value)


def _as_shown(widget: Any, value: Any) -> Any:
    return _text(value) if isinstance(widget.value, str) else value


def _value(shown: Any, before: Any) -> Any:
    """Return the value of a widget as a parameter; texts become numbers and lists."""
    if not isinstance(shown, str):
        return shown
    parts = [part for part in shown.replace(',', ' ').split() if part]
    try:
        numbers = [float(part) for part in parts]
    except ValueError:
        return shown
    listed = not isinstance(before, (str, float)) or len(numbers) > 1
    return numbers if listed else numbers[0] if numbers else shown
