"""The branches of the last goal: a table of them, and the arm in one after the other."""

import html
from collections.abc import Callable

import numpy as np
import viser

from ik_node.model.chain import Chain
from ik_node.ros.clients.connection import SilentError
from ik_node.viewer.newest import Newest
from ik_node.viewer.quantities import angle_text, length_text
from ik_node.viewer.robot_view import RobotView

_LIST, _PREVIOUS, _NEXT = 'List them', 'Previous', 'Next'
_STEPS = {_PREVIOUS: -1, _NEXT: 1}
_NONE = 'The branches of the last goal: every configuration of a closed form that meets it.'


class BranchPanel:
    """Lists the branches of the arm's last goal, and takes the arm through them."""

    def __init__(self, server: viser.ViserServer, robot_view: RobotView,
                 notify: Callable[[str], None]) -> None:
        """Make the widgets. notify: called with the reason where the node refuses."""
        self._robot_view, self._notify = robot_view, notify
        self._chain: Chain | None = None
        self._branches, self._number = np.empty((0, 0)), 0
        self._work: Newest[str] = Newest(self._do, self._notify)
        self._folder = server.gui.add_folder('Branches', expand_by_default=False, visible=False)
        with self._folder:
            self._text = server.gui.add_markdown(_NONE)
            for name, hint in ((_LIST, 'calls ~/solve_all for the last goal'),
                               (_PREVIOUS, 'moves the arm to the branch above in the table'),
                               (_NEXT, 'moves the arm to the branch below in the table')):
                server.gui.add_button(name, hint=hint).on_click(
                    lambda event: self._work.give(event.target.label))
            self._table = server.gui.add_html('')

    def close(self) -> None:
        """End the thread."""
        self._work.close()

    def update(self, visible: bool) -> None:
        """Show the panel where there is an arm; another arm has no branches yet."""
        if self._folder.visible != visible:
            self._folder.visible = visible
        if self._robot_view.chain is not self._chain:
            self._chain = self._robot_view.chain
            self._show(np.empty((0, 0)), _NONE)

    def _do(self, name: str) -> None:
        try:
            if name == _LIST:
                self._list()
            elif len(self._branches):
                self._step(_STEPS[name])
        except SilentError as error:
            self._notify(str(error))

    def _list(self) -> None:
        chain = self._robot_view.chain
        if chain is None:
            return
        try:
            words, found = self._robot_view.connection.branches()
        except SilentError as error:
            self._show(np.empty((0, 0)), f'No branches: {error}.')
            return
        self._show(found.get(chain.joint_names, np.empty((0, chain.n_joints))), words)

    def _step(self, step: int) -> None:
        number = (self._number + step) % len(self._branches)
        self._robot_view.go_to(self._branches[number].tolist())
        self._number = number
        self._table.content = self._rows()

    def _show(self, branches: np.ndarray, words: str) -> None:
        self._branches, self._number = branches, 0
        self._text.content, self._table.content = words, self._rows()

    def _rows(self) -> str:
        """Return the table; the branch that the arm is in is bold."""
        chain = self._chain
        if chain is None or not len(self._branches):
            return ''
        head = ''.join(f'<th align="right">{html.escape(name)}</th>'
                       for name in (*chain.joint_names, 'σ_min'))
        rows = ''.join(_row(chain, number, q, number == self._number)
                       for number, q in enumerate(self._branches))
        return ('<div style="overflow-x:auto;margin:0 3%"><table style="font-size:0.75em;'
                f'border-spacing:0.6em 0.1em"><tr><th></th>{head}</tr>{rows}</table></div>')


def _row(chain: Chain, number: int, q: np.ndarray, is_present: bool) -> str:
    """Return a row of the table: joint values, and how near the branch is to a singularity."""
    cells = [(length_text if prismatic else angle_text)(float(value))
             for value, prismatic in zip(q, chain.prismatic)]
    cells.append(f'{np.linalg.svd(chain.jacobian(q), compute_uv=False).min():.2g}')
    weight = ' style="font-weight:bold"' if is_present else ''
    return f'<tr{weight}><td>{number + 1}</td>' + ''.join(
        f'<td align="right" style="white-space:nowrap">{cell}</td>' for cell in cells) + '</tr>'
