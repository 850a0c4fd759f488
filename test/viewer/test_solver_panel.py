"""Values that the user sets in the panel of a solver, and those that come from the node."""

from types import SimpleNamespace

import pytest

pytest.importorskip('viser', reason='viser is not installed (make test brings it)')

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
        parameters=parameters, on_parameters=parameters.update, option=parameters.get,
        state=SimpleNamespace(responds=False),
        connection=SimpleNamespace(set_parameters=sent.append))
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
