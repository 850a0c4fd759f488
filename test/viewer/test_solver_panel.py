"""Values that the user sets in the panel of a solver, and those that come from the node."""

import threading
from types import SimpleNamespace

import pytest

pytest.importorskip('viser', reason='viser is not installed (make test brings it)')

from ik_node.viewer.robot_view import RobotView
from ik_node.viewer.solver_panel import SolverPanel


class Widget:
    """A list of choices."""

    value = 'dls'

    def on_update(self, changed):
        self.changed = changed


def test_a_choice_stays_until_it_is_sent_and_follows_the_node_afterwards():
    sent, parameters = [], {'solver': 'dls'}
    panel, widget = SolverPanel.__new__(SolverPanel), Widget()
    panel._robot_view = SimpleNamespace(
        parameters=parameters, option=parameters.get, state=SimpleNamespace(responds=False),
        set_parameter=lambda name, value: (sent.append({name: value}),
                                           parameters.update({name: value})))
    panel._last_values, panel._shown = {}, {'solver': widget}
    panel._follow(widget, SimpleNamespace(name='solver', value='dls', choices=('ccd', 'dls')))
    panel.update()
    widget.value = 'ccd'  # by the user; the callback comes later than the next update
    panel.update()
    widget.changed(SimpleNamespace(client=1))
    assert sent == [{'solver': 'ccd'}]
    panel.update()
    assert widget.value == 'ccd'
    parameters['solver'] = 'dls'  # by another client
    panel.update()
    assert widget.value == 'dls'


class SlowNode:
    """A connection to a node whose responses are read late: events arrive meanwhile."""

    def __init__(self, values, meanwhile):
        self.values, self.meanwhile = values, meanwhile

    def set_parameters(self, values):
        self.meanwhile()

    def parameters(self):
        self.meanwhile()
        return {name: SimpleNamespace(value=value) for name, value in self.values.items()}


@pytest.fixture
def robot_view():
    view = RobotView.__new__(RobotView)
    view.arm, view.parameters, view.outdated = '', {'solver': 'auto', 'motion': 'none'}, False
    view.state = SimpleNamespace(forget_goal=lambda: None)
    view._lock, view._event_records, view._changed = threading.Lock(), [], lambda: None
    return view


def test_a_later_change_counts_although_the_response_to_ours_is_read_after_it(robot_view):
    def others():
        robot_view.on_parameters({'solver': 'ccd'})  # ours
        robot_view.on_parameters({'solver': 'dls'})  # of another client, later
    robot_view.connection = SlowNode({}, others)
    robot_view.set_parameter('solver', 'ccd')
    assert robot_view.parameters['solver'] == 'dls'


def test_our_change_counts_before_its_event_arrives(robot_view):
    robot_view.connection = SlowNode({}, lambda: robot_view.on_parameters({'motion': 'trapezoid'}))
    robot_view.set_parameter('solver', 'ccd')
    assert robot_view.parameters == {'solver': 'ccd', 'motion': 'trapezoid'}


def test_a_change_during_a_fetch_counts(robot_view):
    robot_view.connection = SlowNode({'solver': 'ccd', 'motion': 'none'},
                                     lambda: robot_view.on_parameters({'solver': 'dls'}))
    robot_view.fetch_parameters()
    assert robot_view.parameters == {'solver': 'dls', 'motion': 'none'}
    robot_view.connection.meanwhile = lambda: None
    robot_view.fetch_parameters()
    assert robot_view.parameters['solver'] == 'ccd'  # events of earlier requests no longer count
