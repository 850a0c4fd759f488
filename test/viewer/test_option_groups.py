"""Groups of options on the page."""

import pytest

pytest.importorskip('rclpy', reason='ROS 2 is not installed (make test brings it from PyPI)')

from ik_node.solvers.body.registry import body_solver_class, body_solver_names
from ik_node.solvers.registry import solver_class, solver_names
from ik_node.viewer.solver_panel import FIRST, default_values, grouped

SOLVERS = {**{name: solver_class(name) for name in solver_names()},
           **{name: body_solver_class(name) for name in body_solver_names()}}


@pytest.mark.parametrize('solver', SOLVERS)
def test_every_option_is_in_one_group_and_tolerances_come_first(solver):
    options = SOLVERS[solver].Options.defaults()
    groups = grouped(options)
    assert sorted(name for group in groups.values() for name in group) == sorted(options)
    assert next(iter(groups)) == FIRST
    assert groups[FIRST] == ['position_tolerance', 'orientation_tolerance']


def test_the_groups_of_dls():
    assert list(grouped(SOLVERS['dls'].Options.defaults())) == [
        FIRST, 'search', 'damping', 'null space', 'limits', 'of the method']
    assert grouped(['bias_gain', 'alpha']) == {
        'null space': ['bias_gain'], 'of the method': ['alpha']}


@pytest.mark.parametrize('solver', SOLVERS)
def test_defaults_are_values_of_parameters(solver):
    values = default_values(solver)
    assert values['position_tolerance'] == 1e-6
    assert values['timeout'] == 'none'
    assert 'examples' not in values  # which a solver needs


def test_a_solver_that_is_not_installed_has_no_defaults():
    assert default_values('nowhere') == {}
