"""Tasks on the page: made from their types, weighted, and deleted."""

import contextlib
import functools
import re
from collections.abc import Mapping, Sequence
from typing import Any

from ik_node.control.options import BODY_SOLVERS, solves_arms
from ik_node.control.task_options import TYPES, TaskOptions, fields
from ik_node.model.tree import KinematicTree
from ik_node.ros.clients.connection import SilentError
from ik_node.ros.parameters import NONE
from ik_node.support.exceptions import InputError
from ik_node.tasks.base import LINK_FIELDS
from ik_node.viewer.arm_panels import ends
from ik_node.viewer.draft import number, number_list, on_user_change, whole_number
from ik_node.viewer.page_text import html_line
from ik_node.viewer.panel import Page, Panel
from ik_node.viewer.robot_view import RobotView

_NO_TASK = '–'
BODY_SOLVER, ARM_SOLVER = 'least_squares', 'dls'  # where the present one does not fit
# What a field that must be set is at first.
_FIRST = {'axis': '0 0 1', 'direction': '0 0 1', 'normal': '0 0 1', 'origin': '0 0 0',
          'point': '0 0 0', 'target': '1 0 1', 'force': '0 0 10', 'stiffness': '100',
          'polygon': '-0.1 -0.1 0.1 -0.1 0.1 0.1 -0.1 0.1'}


class TaskPanel(Panel):
    """A list of the node's tasks, with weight and priority, and a form for another one.

    With the first task the node gets a solver of the whole body, without any one of an arm.
    """

    def __init__(self, page: Page) -> None:
        super().__init__(page, 'Tasks', is_expanded=True)
        self._links: tuple[str, ...] = ()
        self._fields: dict[str, Any] = {}  # widgets of the form, by the names of their fields
        gui, specs = self._gui, TaskOptions.specs()
        with self._folder:
            self._hint = gui.add_html(html_line(
                'No tasks yet: with the first one the robot moves as a whole, to meet them.'))
            self._task: Any = gui.add_dropdown('task', (_NO_TASK,))
            with self._draft_of(self._set).container:
                for name in ('weight', 'priority'):
                    self._draft.add(name, name, '', specs[name].text,
                                    functools.partial(self._text, name))
                self._draft.add_button('Apply', 'sets what is typed, as Enter does')
            self._delete = gui.add_button('Delete the task', visible=False)
            with gui.add_folder('Add a task', expand_by_default=False):
                self._entries = gui.add_form(None)
        with self._entries:
            self._name: Any = gui.add_text('name', 'task_1')
            self._type: Any = gui.add_dropdown('type', tuple(TYPES), initial_value='pose')
            self._add = gui.add_button('Add the task', order=1e6, color='blue')
        on_user_change(self._task, lambda _: self.stop())
        self._task.on_update(lambda _: self._show_task())
        self._delete.on_click(lambda _: self._work.give(self._remove))
        self._type.on_update(lambda _: self._make_fields())
        # Not with Enter in its name: type and link are below that.
        self._add.on_click(lambda _: self._work.give(self._create))

    def _is_useful(self) -> bool:
        return not self._robot_view.arm and len(self._page.robot_views) == 1

    def _refresh(self, visible: bool) -> None:
        tree = self._robot_view.tree
        if not visible or tree is None:
            return
        links = proposed_links(tree, [str(self._robot_view.parameters.get(f'{name}.link'))
                                      for name in self._robot_view.tasks])
        if links != self._links:
            self._links = links
            self._make_fields()
        names = self._robot_view.tasks or (_NO_TASK,)
        if tuple(self._task.options) != names:
            self._task.options = names
        self._show_task()

    def _show_task(self) -> None:
        self._draft.refresh()
        has_task = self._task.value != _NO_TASK
        self._task.visible = self._draft.container.visible = self._delete.visible = has_task
        self._hint.visible = not has_task

    def _text(self, field: str) -> str:
        return str(self._robot_view.parameters.get(f'{self._task.value}.{field}', ''))

    def _make_fields(self) -> None:
        for widget in self._fields.values():
            widget.remove()
        gui, specs = self._gui, TaskOptions.specs()
        self._fields = {}
        with self._entries:
            for field, needed in fields(str(self._type.value)).items():
                if field in LINK_FIELDS:
                    options = self._links if needed else (_NO_TASK, *self._links)
                    self._fields[field] = gui.add_dropdown(field, options or (_NO_TASK,),
                                                           hint=specs[field].text)
                elif needed or field == 'polygon':
                    self._fields[field] = gui.add_text(
                        field, _FIRST.get(field, ''),
                        hint=f'{specs[field].text}; numbers with spaces between')

    def _set(self, typed: Mapping[str, str]) -> None:
        """Set weight and priority. Raises IkError for a refusal."""
        name, values = str(self._task.value), {}
        for field, text in typed.items():
            values[f'{name}.{field}'] = (number if field == 'weight' else whole_number)(field, text)
        self._page.set_parameters(self._robot_view, values)

    def _create(self) -> None:
        """Give the node the task of the form. Raises IkError where it does not take it."""
        robot_view, name = self._robot_view, str(self._name.value).strip()
        before = robot_view.tasks
        if name in before:
            raise InputError(f'there is a task {name!r} already')
        values = {f'{name}.type': str(self._type.value)} | {
            f'{name}.{field}': value for field, widget in self._fields.items()
            if (value := _value(field, str(widget.value))) is not None}
        self._page.history.make(set_tasks, (robot_view, before, {}),
                                (robot_view, (*before, name), values))
        self._task.options = robot_view.tasks
        self._task.value, self._name.value = name, _next_name(name)

    def _remove(self) -> None:
        name, before = str(self._task.value), self._robot_view.tasks
        after = tuple(other for other in before if other != name)
        values = {key: value for key, value in self._robot_view.parameters.items()
                  if key.startswith(f'{name}.') and value is not None}
        self._page.history.make(set_tasks, (self._robot_view, before, values),
                                (self._robot_view, after, {}))


def set_tasks(robot_view: RobotView, names: tuple[str, ...], values: Mapping[str, Any]) -> None:
    """Set the tasks of a node, and parameters of them, or neither. Raises SilentError."""
    before = robot_view.tasks
    _set_names(robot_view, names)
    try:
        if values:
            robot_view.set_parameters(values)
    except SilentError:
        with contextlib.suppress(SilentError):
            _set_names(robot_view, before)
        raise
    robot_view.fetch_parameters()


def _set_names(robot_view: RobotView, names: tuple[str, ...]) -> None:
    """Set the tasks of a node, with a solver that takes them."""
    solver = str(robot_view.parameters['solver'])
    if names and solver not in BODY_SOLVERS:
        solver = BODY_SOLVER
    if not names and not solves_arms(solver):
        solver = ARM_SOLVER
    start, body = robot_view.parameters.get('start_pose'), robot_view.body
    is_of_arm = names and body is not None and isinstance(start, list) and (
        len(start) != body.n_joints)
    robot_view.set_parameters({
        'tasks': list(names) if names else NONE, **robot_view.parameters.choosing(solver),
        **({'start_pose': NONE} if is_of_arm else {})})


def proposed_links(tree: KinematicTree, taken: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the links of a tree: moved ends that are not taken, other moved links, the rest."""
    moved = ends(tree)['tip_link']
    first = [link for link in tree.leaves() if link in moved and link not in taken]
    return tuple(dict.fromkeys((*first, *moved, *tree.links)))


def _value(field: str, text: str) -> Any:
    """Return the text of a field as the value of its parameter; None for none."""
    if field in LINK_FIELDS:
        return None if text == _NO_TASK else text
    numbers = number_list(field, text)
    if not numbers:
        return None
    return numbers if TaskOptions.specs()[field].listed else numbers[0]


def _next_name(name: str) -> str:
    """Return a name with the next number: task_1, task_2, …."""
    stem, number = re.fullmatch(r'(.*?)_?(\d*)', name).groups()  # type: ignore[union-attr]
    return f'{stem}_{int(number or 1) + 1}'
