"""Values that the user sets in the panel of a solver, and those that come from the node."""

from types import SimpleNamespace

import pytest

pytest.importorskip('viser', reason='viser is not installed (make test brings it)')

from ik_node.viewer.node_parameters import NodeParameters
from ik_node.viewer.solver_panel import SolverPanel


class Widget:
    """A list of choices."""

    value = 'dls'

    def on_update(self, changed):
        self.changed = changed


def test_a_choice_stays_until_it_is_sent_and_follows_the_node_afterwards():
    sent, parameters = [], NodeParameters()
    parameters.on_event({'solver': 'dls'})
    panel, widget = SolverPanel.__new__(SolverPanel), Widget()
    panel._robot_view = SimpleNamespace(
        parameters=parameters, state=SimpleNamespace(responds=False),
        set_parameter=lambda name, value: (sent.append({name: value}),
                                           parameters.on_event({name: value})))
    panel._last_values, panel._shown = {}, {'solver': widget}
    panel._follow(widget, SimpleNamespace(name='solver', value='dls', choices=('ccd', 'dls')))
    panel.update()
    widget.value = 'ccd'  # by the user; the callback comes later than the next update
    panel.update()
    widget.changed(SimpleNamespace(client=1))
    assert sent == [{'solver': 'ccd'}]
    panel.update()
    assert widget.value == 'ccd'
    parameters.on_event({'solver': 'dls'})  # by another client
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
def parameters():
    made = NodeParameters()
    made.fetch(SlowNode({'solver': 'auto', 'motion': 'none'}, lambda: None))
    return made


def test_a_later_change_counts_although_the_response_to_ours_is_read_after_it(parameters):
    def others():
        parameters.on_event({'solver': 'ccd'})  # ours
        parameters.on_event({'solver': 'dls'})  # of another client, later
    parameters.set(SlowNode({}, others), 'solver', 'ccd')
    assert parameters['solver'] == 'dls'


def test_our_change_counts_before_its_event_arrives(parameters):
    parameters.set(SlowNode({}, lambda: parameters.on_event({'motion': 'trapezoid'})),
                   'solver', 'ccd')
    assert parameters == {'solver': 'ccd', 'motion': 'trapezoid'}


def test_a_change_during_a_fetch_counts(parameters):
    node = SlowNode({'solver': 'ccd', 'motion': 'none'},
                    lambda: parameters.on_event({'solver': 'dls'}))
    parameters.fetch(node)
    assert parameters == {'solver': 'dls', 'motion': 'none'}
    node.meanwhile = lambda: None
    parameters.fetch(node)
    assert parameters['solver'] == 'ccd'  # events of earlier requests no longer count
