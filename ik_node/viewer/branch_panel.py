"""The branches of the last goal: a table of them, and the arm in one after the other."""

import html

import numpy as np

from ik_node.model.chain import Chain
from ik_node.ros.clients.connection import SilentError
from ik_node.viewer.page_text import html_table, joint_text
from ik_node.viewer.panel import Page, Panel

_LIST = 'List them'
_STEPS = {'Previous': -1, 'Next': 1}
_HINTS = {_LIST: 'calls ~/solve_all for the last goal',
          'Previous': 'moves the arm to the branch above in the table',
          'Next': 'moves the arm to the branch below in the table'}
_NONE = 'The branches of the last goal: every configuration of a closed form that meets it.'


class BranchPanel(Panel):
    """Lists the branches of the arm's last goal, and takes the arm through them."""

    def __init__(self, page: Page) -> None:
        """Make the widgets."""
        super().__init__(page, 'Branches')
        self._chain: Chain | None = None
        self._branches, self._number = np.empty((0, 0)), 0
        self._pressed = self._worker(self._on_button)
        with self._folder:
            self._text = self._gui.add_markdown(_NONE)
            for name, hint in _HINTS.items():
                self._gui.add_button(name, hint=hint).on_click(
                    lambda event: self._pressed.give(event.target.label))
            self._table = self._gui.add_html('')

    def _refresh(self, visible: bool) -> None:
        """Show no branches of another arm."""
        if self._robot_view.chain is not self._chain:
            self._chain = self._robot_view.chain
            self._show(np.empty((0, 0)), _NONE)

    def _on_button(self, name: str) -> None:
        chain = self._robot_view.chain
        if name == _LIST and chain is not None:
            try:
                text, found = self._robot_view.connection.branches()
            except SilentError as error:
                self._show(np.empty((0, 0)), f'No branches: {error}.')
                return
            self._show(found.get(chain.joint_names, np.empty((0, chain.n_joints))), text)
        elif len(self._branches):
            number = (self._number + _STEPS.get(name, 0)) % len(self._branches)
            self._robot_view.go_to(self._branches[number])
            self._number = number
            self._table.content = self._rows()

    def _show(self, branches: np.ndarray, text: str) -> None:
        self._branches, self._number = branches, 0
        self._text.content, self._table.content = text, self._rows()

    def _rows(self) -> str:
        """Return the table; the branch that the arm is in is bold."""
        chain = self._chain
        if chain is None or not len(self._branches):
            return ''
        return html_table(
            ['', *map(html.escape, chain.joint_names), 'σ_min'],
            [[str(number + 1), *map(joint_text, q, chain.prismatic),
              f'{np.linalg.svd(chain.jacobian(q), compute_uv=False).min():.2g}']
             for number, q in enumerate(self._branches)], bold=self._number)
