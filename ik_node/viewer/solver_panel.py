"""The solver of a node and its options, as widgets made from the node's own parameters."""

import contextlib
import functools
import html
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ik_node.control.options import BODY_SOLVERS, CollisionOptions, solves_arms
from ik_node.model.chain import Chain
from ik_node.ros.clients.connection import SilentError
from ik_node.ros.parameters import NONE, Described, to_parameter
from ik_node.solvers import registry
from ik_node.support.exceptions import IkError
from ik_node.viewer.draft import whole_number
from ik_node.viewer.latest_value import errors_shown
from ik_node.viewer.panel import Page, Panel
from ik_node.viewer.robot_view import RobotView

FIRST = 'tolerances'
_GROUPS = {
    FIRST: ('position_tolerance', 'orientation_tolerance'),
    'search': ('max_iterations', 'max_restarts', 'max_step', 'timeout', 'seed', 'closest',
               'prefer'),
    'damping': ('damping', 'damping_rule', 'error_share', 'max_angle', 'rank_tolerance'),
    'null space': ('bias_target', 'bias_gain', 'bias_exponent', 'manipulability_gain',
                   'joint_weights', 'elbow', 'hand_axis', 'comfort_zone', 'torso_plane',
                   'torso_capsule'),
    'limits': ('lower', 'upper', 'limit_margin', 'consistency_limits'),
    'collisions': tuple(CollisionOptions.specs())}
_GOOD_FOR = {
    'dls': 'everything; the default', 'auto': 'not having to choose: the closed form or dls',
    'analytic': 'exactness, and every branch', 'ccd': 'long chains',
    'pseudoinverse': 'seeing what damping is for', 'transpose': 'steps without any inverse',
    'example': 'configurations like those of examples',
    'genetic': 'a fitness of your own, without derivatives',
    'optimization': 'objectives of your own',
    'least_squares': 'several tasks, weighted against each other',
    'hierarchy': 'several tasks, none disturbs one before it',
    'lagrange': 'motion as of masses: forces, springs'}
_DATA = ('examples',)  # what a solver works with is no setting, and has no default


class SolverPanel(Panel):
    """Widgets for the solver of a node and its options, which follow the node's parameters."""

    needs = 'node'

    def __init__(self, page: Page, robot_view: RobotView) -> None:
        alone = len(page.robot_views) == 1
        super().__init__(page, 'Solver' if alone else f'Solver: {robot_view.name}', alone)
        self._robot_view = robot_view
        self._set = functools.partial(page.set_parameters, robot_view)
        self._solver, self._solvers = '', tuple[str, ...]()
        self._options_folder: Any = None
        self._fetched = self._worker(self._fetch)
        self._wanted = self._worker(self._show_options)  # it waits for the node
        self._chain: Chain | None = None
        self._unfit: dict[str, str] = {}  # why solvers do not fit the chain
        self._fit: Any = None
        self._fitted = self._worker(self._find_unfit)

    def _fetch(self, _: None) -> None:
        self._robot_view.fetch_parameters()
        if not self._lacks_widgets:
            return
        names = [self._robot_view.parameters.option_name('solver'), 'motion', 'on_failure']
        described = self._robot_view.connection.describe(names)
        self._solvers = described[names[0]].choices
        with self._folder:
            self._add(described[names[0]], names[0])
            self._fit = self._gui.add_html('')
            for name in names[1:]:
                self._add(described[name], name)
            self._options_folder = self._gui.add_folder('Options', expand_by_default=False)

    @property
    def _lacks_widgets(self) -> bool:
        """Whether the widgets have still to be made; another arm has none."""
        return not self._widgets and not self._robot_view.parameters.other_arms

    def _refresh(self, visible: bool) -> None:
        parameters, state = self._robot_view.parameters, self._robot_view.state
        if state.lifecycle and (parameters.outdated or self._lacks_widgets) and not (
                self._fetched.busy):  # it responds to requests
            self._fetched.give(None)
        if self._options_folder is None:
            return
        if state.responds:
            self._offer_solvers()
            if parameters.option('solver') != self._solver:
                self._solver = str(parameters.option('solver'))
                self._wanted.give(self._solver)

    def _find_unfit(self, chain: Chain | None) -> None:
        self._unfit = {} if chain is None else unfit(chain)

    def _offer_solvers(self) -> None:
        """Offer those solvers that fit: of one arm, of the body, or both; tell about all."""
        parameters, chain = self._robot_view.parameters, self._robot_view.chain
        if chain is not self._chain:
            self._chain = chain
            self._fitted.give(chain)
        reasons = self._unfit
        body, arms = not self._robot_view.arm, not (self._robot_view.tasks or parameters.moves_root)
        able = [name for name in self._solvers
                if (body and name in BODY_SOLVERS) or (arms and solves_arms(name))]
        present = parameters.option('solver')
        offered = tuple(name for name in able if name not in reasons or name == present)
        self._fit.content = solver_list(able, reasons, str(present))
        widget = self._widgets[parameters.option_name('solver')].widget
        if tuple(widget.options) != offered and present in offered:
            widget.options = offered

    def _show_options(self, solver: str) -> None:
        self._remove_draft()
        self._widgets = {name: widget for name, widget in self._widgets.items()
                         if name.rpartition('.')[0] not in self._solvers}
        try:
            described = self._robot_view.connection.parameters([solver])
        except SilentError:
            self._solver = ''  # `_refresh` tries again when the node responds
            raise
        defaults, by_option = default_values(solver), {
            name.rpartition('.')[2]: one for name, one in described.items()}
        with (self._options_folder,
              self._draft_of(functools.partial(self._apply, described)).container):
            for group, names in grouped(by_option).items():
                with self._gui.add_folder(group, expand_by_default=group == FIRST):
                    for name in names:
                        self._add(by_option[name], name, defaults.get(name))
            self._draft.add_button('Apply', 'sets the options that are typed, as Enter does')
            if defaults:
                self._gui.add_button(
                    'All defaults', hint=f'sets every option of {solver} to its default'
                ).on_click(lambda _: self._work.give(functools.partial(self._set, {
                    one.name: defaults[name] for name, one in by_option.items()
                    if name in defaults and not one.read_only})))

    def _apply(self, described: Mapping[str, Described], typed: Mapping[str, str]) -> None:
        """Set the options that were typed, each with its own reason where it is refused."""
        for name, text in typed.items():
            with errors_shown(self._notify, name):
                self._set({name: _value(name, text, described[name].value)})

    def _add(self, one: Described, label: str, default: Any = None) -> None:
        gui, hint, parameters = self._gui, one.text, self._robot_view.parameters
        label = label.replace('_', ' ')
        if default is not None:
            hint = f'{hint}; default: {_text(default)}'
        widget: Any
        if one.choices:
            widget = gui.add_dropdown(label, one.choices, initial_value=str(one.value), hint=hint)
        elif isinstance(one.value, bool):
            widget = gui.add_checkbox(label, one.value, hint=hint)
        else:  # numbers, lists, and values that may be "none"
            self._draft.add(one.name, label, _text(one.value), hint, lambda: (
                None if (value := parameters.get(one.name)) is None else _text(value)))
            return
        self._node_widget(
            one.name, widget, lambda: parameters.get(one.name),
            lambda value: self._set(parameters.choosing(value) if one.name == (
                parameters.option_name('solver')) else {one.name: value}), one.name)


def unfit(chain: Chain) -> dict[str, str]:
    """Return the solvers that do not fit a chain, with the reasons, which follow their names."""
    reasons = {}
    for name in registry.solver_names():
        try:
            registry.make_solver(name, chain)
        except IkError as error:
            reasons[name] = str(error).removeprefix(f'{name} ')
    return reasons


def solver_list(names: Iterable[str], reasons: Mapping[str, str], present: str) -> str:
    """Return solvers as HTML: those that fit, with what they are good for, then the others."""
    lines = [f'<div class="{"ik-unfit" if name in reasons else ""}"><b>{html.escape(name)}</b> '
             f'{html.escape(reasons.get(name) or _GOOD_FOR.get(name, ""))}</div>'
             for name in sorted(names, key=lambda one: (one in reasons, one != present))]
    return f'<div class="ik-solvers">{"".join(lines)}</div>'


def grouped(options: Iterable[str]) -> dict[str, list[str]]:
    """Return options by their groups, in a fixed order; those of one method only come last."""
    left = list(options)
    own = [name for name in left if not any(name in group for group in _GROUPS.values())]
    found = {group: [name for name in members if name in left]
             for group, members in _GROUPS.items()} | {'of the method': own}
    return {group: names for group, names in found.items() if names}


def default_values(solver: str) -> Mapping[str, Any]:
    """Return the defaults of a solver as values of parameters; empty for one not installed here."""
    defaults: dict[str, Any] = {}
    for solvers, find in (  # as of arms where both have an option
            (registry.body_solver_names(), registry.body_solver_class),
            (registry.solver_names(), registry.solver_class)):
        if solver in solvers:
            with contextlib.suppress(IkError):  # of a plug-in that cannot be imported
                defaults.update(CollisionOptions.defaults() | find(solver).Options.defaults())
    return {name: to_parameter(value) for name, value in defaults.items() if name not in _DATA}


def _text(value: Any) -> str:
    if np.ndim(value):
        return ', '.join(map(_text, value))
    return f'{value:.9g}'.replace('e-0', 'e-') if isinstance(value, float) else str(value)


def _value(name: str, shown: str, before: Any) -> Any:
    """Return a text as the value of a parameter: numbers and lists become these.

    Raises InputError for one that is no whole number where that is needed.
    """
    if isinstance(before, int) and shown.strip() != NONE:
        return whole_number(name, shown)
    try:
        numbers = [float(part) for part in shown.replace(',', ' ').split()]
    except ValueError:
        return shown
    listed = not isinstance(before, (str, float)) or len(numbers) > 1
    return numbers if listed else numbers[0] if numbers else shown
