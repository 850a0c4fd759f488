"""The arm on the page: its base and its tip, chosen from lists, and the solvers that fit it."""

from collections.abc import Callable
from typing import Any

import viser

from ik_node.model.chain import Chain
from ik_node.model.tree import KinematicTree
from ik_node.ros.clients.connection import SilentError
from ik_node.solvers.registry import make_solver, solver_names
from ik_node.support.exceptions import IkError
from ik_node.viewer.newest import Newest
from ik_node.viewer.robot_view import RobotView

_AUTOMATIC = 'automatic'
_ENDS = {'base_link': ('base', 'the link in whose frame goals are'),
         'tip_link': ('tip', 'the link that meets the goals')}


class ChainPanel:
    """Widgets for the ends of the arm, which follow the node's parameters."""

    def __init__(self, server: viser.ViserServer, robot_view: RobotView,
                 notify: Callable[[str], None]) -> None:
        """Make the widgets. notify: called with the node's reason when it refuses a link."""
        self._robot_view, self._notify = robot_view, notify
        self._folder = server.gui.add_folder('Arm', expand_by_default=False, visible=False)
        with self._folder:
            self._ends: dict[str, Any] = {
                name: server.gui.add_dropdown(label, (_AUTOMATIC,), hint=hint)
                for name, (label, hint) in _ENDS.items()}
            self._fit = server.gui.add_markdown('')
        for name, widget in self._ends.items():
            widget.on_update(lambda event, name=name: self._choose(name, event))
        self._last_values: dict[str, str] = {}  # the node's values that they have shown
        self._tree: KinematicTree | None = None
        self._chain: Chain | None = None
        self._chains: Newest[Chain] = Newest(self._show_fit, self._notify)

    def close(self) -> None:
        """End the thread."""
        self._chains.close()

    def update(self, visible: bool) -> None:
        """Show the present robot and parameters. visible: whether there is an arm to choose."""
        tree, chain = self._robot_view.tree, self._robot_view.chain
        if self._folder.visible != visible:
            self._folder.visible = visible
        if not visible or tree is None:
            return
        if tree is not self._tree:
            self._tree = tree
            self._last_values.clear()
            for name, links in ends(tree).items():
                self._ends[name].options = (_AUTOMATIC, *links)
        for name, widget in self._ends.items():
            value = str(self._robot_view.parameters.option(name) or _AUTOMATIC)
            if value != self._last_values.get(name) and value in widget.options:
                self._last_values[name] = value  # what the user chooses meanwhile stays
                if widget.value != value:
                    widget.value = value
        if chain is not None and chain is not self._chain:
            self._chain = chain
            self._chains.give(chain)

    def _choose(self, name: str, event: Any) -> None:
        if event.client is None:  # set by `update`, not by the user
            return
        widget, parameter = self._ends[name], self._robot_view.parameters.option_name(name)
        value = '' if widget.value == _AUTOMATIC else widget.value
        try:
            self._robot_view.set_parameter(parameter, value)
            self._last_values[name] = value or _AUTOMATIC
        except SilentError as error:
            self._notify(f'{parameter}: {error}')
            widget.value = self._last_values.get(name, _AUTOMATIC)

    def _show_fit(self, chain: Chain) -> None:
        self._fit.content = fit(chain)


def ends(tree: KinematicTree) -> dict[str, list[str]]:
    """Return the links that can be the base, and the tip, of an arm of a tree."""
    leaves = set(tree.leaves())
    moved = [link for link in tree.links
             if any(joint.moves for joint in tree.path(tree.root, link))]
    return {'base_link': [link for link in tree.links if link not in leaves], 'tip_link': moved}


def fit(chain: Chain) -> str:
    """Return in Markdown which solvers fit a chain, and why the others do not."""
    fitting, reasons = [], []
    for name in solver_names():
        try:
            make_solver(name, chain)
            fitting.append(name)
        except IkError as error:
            reasons.append(f'- {name}: {error}')
    words = f'Solvers for this arm: {", ".join(fitting)}.'
    return words if not reasons else f'{words} Not for it:\n\n' + '\n'.join(reasons)
