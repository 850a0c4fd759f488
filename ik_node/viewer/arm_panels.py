"""The arm: its base, tip and tool, and the branches of its last goal."""

import functools
import html
from typing import Any

import numpy as np

from ik_node.model.chain import Chain
from ik_node.model.tree import KinematicTree
from ik_node.ros.clients.connection import SilentError
from ik_node.viewer.draft import number_list
from ik_node.viewer.gallery import text_parameters, with_start
from ik_node.viewer.page_text import html_table, joint_text
from ik_node.viewer.panel import Page, Panel

_AUTOMATIC = 'automatic'
_ENDS = {'base_link': ('base', 'the link in whose frame goals are'),
         'tip_link': ('tip', 'the link that meets the goals')}
_LIST = 'List them'
_NEAR = 0.01  # rad or m: the arm is at a branch
_NONE = 'The branches of the last goal: every configuration of a closed form that meets it.'


class ChainPanel(Panel):
    """Widgets for the ends of the arm, which follow the node's parameters."""

    def __init__(self, page: Page) -> None:
        super().__init__(page, 'Arm', is_expanded=True)
        with self._folder:
            for name, (label, hint) in _ENDS.items():
                self._add_end(name, self._gui.add_dropdown(label, (_AUTOMATIC,), hint=hint))
            draft = self._draft_of(lambda typed: self._set(
                'tool', number_list('tool', typed['tool'])))
            with draft.container:
                draft.add('tool', 'tool', '', 'pose of the tool in the frame of the tip: x y z, m, '
                          'and roll pitch yaw, rad; Enter sets it',
                          lambda: ' '.join(f'{x:.6g}' for x in page.robot_view.parameters.tool))
        self._tree: KinematicTree | None = None

    def _is_useful(self) -> bool:
        return not self._robot_view.tasks

    def _refresh(self, visible: bool) -> None:
        tree = self._robot_view.tree
        if visible and tree is not None and tree is not self._tree:
            self._tree = tree
            for name, links in ends(tree).items():
                self._widgets[name].offer((_AUTOMATIC, *links))

    def _set(self, name: str, value: Any) -> None:
        """Set a parameter of the arm. Raises SilentError for a refusal."""
        parameters, values = self._robot_view.parameters, {name: value}
        if name in _ENDS:  # the start pose has another number of joints then
            links = dict(zip(_ENDS, parameters.links)) | values
            values['start_pose'] = with_start(text_parameters(
                self._robot_view.text, *links.values()))['start_pose']
        self._robot_view.set_parameters({
            parameters.option_name(one): value for one, value in values.items()})

    def _add_end(self, name: str, widget: Any) -> None:
        parameters = self._robot_view.parameters
        self._node_widget(
            name, widget, lambda: str(parameters.option(name) or _AUTOMATIC),
            lambda value: self._set(name, '' if value == _AUTOMATIC else value),
            parameters.option_name(name))


def ends(tree: KinematicTree) -> dict[str, list[str]]:
    """Return the links that can be the base, and the tip, of an arm of a tree."""
    leaves = set(tree.leaves())
    moved = [link for link in tree.links
             if any(joint.moves for joint in tree.path(tree.root, link))]
    return {'base_link': [link for link in tree.links if link not in leaves], 'tip_link': moved}


class BranchPanel(Panel):
    """Lists the branches of the arm's last goal, and takes the arm through them."""

    def __init__(self, page: Page) -> None:
        super().__init__(page, 'Branches', is_expanded=True)
        self._chain: Chain | None = None
        self._branches = np.empty((0, 0))
        self._count = 0  # of the node's reports when they were listed
        with self._folder:
            self._text = self._gui.add_markdown(_NONE)
            self._buttons: Any = self._gui.add_button_group(
                'branch', (_LIST,), hint='calls ~/solve_all for the last goal; moves the arm to '
                'the branch with a number, as a click on its row does')
            self._buttons.on_click(lambda _: self._work.give(
                functools.partial(self._on_button, self._buttons.value)))
            self._table = self._gui.add_html('')

    def _refresh(self, visible: bool) -> None:
        chain = self._robot_view.chain
        if chain is not self._chain or (len(self._branches)
                                        and self._robot_view.count != self._count):
            self._chain = chain
            self._show(np.empty((0, 0)), _NONE)  # of the new goal they are others
        self._table.content = self._rows()

    def _on_button(self, name: str) -> None:
        chain = self._robot_view.chain
        if name == _LIST and chain is not None:
            try:
                self._count = self._robot_view.count
                text, found = self._robot_view.connection.branches()
            except SilentError as error:
                text, found = f'No branches: {error}.', {}
            self._show(found.get(chain.joint_names, np.empty((0, 0))), text)
        elif chain is not None and name in self._buttons.options[1:]:  # no late press of another
            self._page.move_arm(chain, self._branches[int(name) - 1],
                                f'reached: branch {name} of {len(self._branches)}')

    def _show(self, branches: np.ndarray, text: str) -> None:
        self._branches, self._text.content = branches, text
        self._buttons.options = (_LIST, *(str(k + 1) for k in range(len(branches))))

    def _rows(self) -> str:
        chain, arm = self._chain, self._robot_view.arm_values
        if chain is None or arm is None or arm[0] is not chain or (
                self._branches.shape[1] != chain.n_joints):  # none, or late ones of another arm
            return ''
        near = np.abs(self._branches - arm[1]).max(axis=1) < _NEAR
        return html_table(
            ['', *map(html.escape, chain.joint_names), 'σ_min'],
            [[str(number + 1), *map(joint_text, q, chain.prismatic),
              f'{np.linalg.svd(chain.jacobian(q), compute_uv=False).min():#.2g}']
             for number, q in enumerate(self._branches)],
            bold=int(near.argmax()) if near.any() else -1)
