from types import SimpleNamespace

import pytest

import robots
from harness.fake_node import FakeNode
from harness.page_here import page_of
from ik_node.solvers.registry import (
    body_solver_class,
    body_solver_names,
    solver_class,
    solver_names,
)
from ik_node.viewer.node_parameters import NodeParameters
from ik_node.viewer.solver_panel import FIRST, default_values, grouped

SOLVERS = {**{name: solver_class(name) for name in solver_names()},
           **{name: body_solver_class(name) for name in body_solver_names()}}


def test_solver_motion_and_on_failure_are_the_nodes_and_follow_it(page):
    for name, value in (('solver', 'ccd'), ('motion', 'joint'), ('on_failure', 'closest')):
        page.choose('Solver', name.replace('_', ' '), value=value)
        assert page.node.get(name) == value
    page.set(solver='auto', motion='jump')
    assert page.widget('Solver', 'solver').value == 'auto'
    assert page.widget('Solver', 'motion').value == 'jump'


def test_a_choice_stays_until_it_is_sent_and_follows_the_node_afterwards(page):
    widget = page.widget('Solver', 'solver')
    widget._impl.value = 'ccd'  # by the user; the callback comes later than the next update
    page.settle()
    assert widget.value == 'ccd'
    page._fire(widget)
    page.settle()
    assert page.node.get('solver') == widget.value == 'ccd'
    page.set(solver='dls')  # by another client
    assert widget.value == 'dls'


def test_solvers_that_do_not_fit_the_arm_are_not_offered():
    with page_of(FakeNode(model_path=str(robots.mimicking_file()))) as page:
        page.settle()
        options = page.widget('Solver', 'solver').options
        assert {'dls', 'auto'} < {*options}
        assert 'analytic' not in options


def test_the_options_are_those_of_the_solver_in_groups_with_their_defaults(page):
    assert page.shows('Options', 'damping')
    assert page.shows('Options', 'tolerances', 'position tolerance')
    page.choose('Solver', 'solver', value='ccd')
    assert not page.shows('Options', 'damping')
    assert page.widget('Options', 'order').value == 'inward'
    page.choose('Options', 'order', value='outward')
    assert page.node.get('ccd.order') == 'outward'
    page.choose('Options', 'avoid collisions', value=True)
    page.type('Options', 'margin', value='0.02')
    assert (page.node.get('ccd.avoid_collisions'), page.node.get('ccd.margin')) == (True, 0.02)
    page.press('Options', 'All defaults')
    assert page.node.get('ccd.order') == 'inward'
    assert (page.node.get('ccd.avoid_collisions'), page.node.get('ccd.margin')) == (False, 0.0)
    assert page.widget('Options', 'order').value == 'inward'
    assert 'default: inward' in page.widget('Options', 'order').hint


@pytest.mark.parametrize(('option', 'typed', 'value'), [
    ('damping', '0.25', 0.25), ('damping', 'none', 'none'), ('max_iterations', '7', 7),
    ('joint_weights', '1 2, 3 4 5 6', [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]),
    ('position_tolerance', '1e-3', 1e-3)])
def test_what_is_typed_is_the_value_of_the_option(page, option, typed, value):
    page.set(dls__damping=0.5)
    before = page.node.get(f'dls.{option}')
    page.choose('Options', option.replace('_', ' '), value=typed)
    assert page.node.get(f'dls.{option}') == before  # it is not committed
    page.press('Options', 'Apply')
    assert page.told == []
    assert page.node.get(f'dls.{option}') == value
    page.undo()
    assert page.node.get(f'dls.{option}') == before
    page.redo()
    assert page.node.get(f'dls.{option}') == value


def test_a_value_that_the_node_refuses_goes_back_and_the_reason_is_reported(page):
    page.type('Options', 'position tolerance', value='-3')
    assert len(page.told) == 1
    assert page.told[0].startswith('dls.position_tolerance must be a number')
    assert page.widget('Options', 'position tolerance').value == '1e-6'
    page.type('Options', 'joint weights', value='1 x')
    assert page.widget('Options', 'joint weights').value == 'none'
    assert len(page.told) == 2


@pytest.mark.parametrize('typed', ['ten', '3.7', '1e300'])
def test_what_is_no_whole_number_is_refused_with_a_reason_where_one_is_needed(page, typed):
    page.type('Options', 'max restarts', value=typed)
    assert len(page.told) == 1
    assert page.told[0].startswith('dls.max_restarts must be a')
    assert page.node.get('dls.max_restarts') == page.widget('Options', 'max restarts').value or int(
        page.widget('Options', 'max restarts').value) == page.node.get('dls.max_restarts')


def test_another_solver_avoids_collisions_as_the_one_before_did(page):
    page.set(dls__avoid_collisions=True, dls__margin=0.02)
    page.choose('Solver', 'solver', value='ccd')
    assert [page.node.get(f'ccd.{name}') for name in ('avoid_collisions', 'margin')] == [True, 0.02]
    page.choose('Obstacles', 'avoid collisions', value=False)
    page.choose('Solver', 'solver', value='dls')
    assert page.node.get('dls.avoid_collisions') is False
    page.undo()
    assert (page.node.get('solver'), page.node.get('dls.avoid_collisions')) == ('ccd', True)


def test_options_that_do_not_come_are_asked_for_again(page):
    page.node.refusal = 'it is busy'
    page.robot_view.on_parameters({'solver': 'ccd'})  # of an event
    page.settle()
    assert 'it is busy' in page.told
    assert not page.shows('Options', 'order')
    page.node.refusal = ''
    page.settle()
    assert page.shows('Options', 'order')
    page.node.refusal = 'it is busy again'
    page.press('Options', 'All defaults')
    assert page.told[-1] == 'it is busy again'


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
    parameters.set(SlowNode({}, others), {'solver': 'ccd'})
    assert parameters['solver'] == 'dls'


def test_our_change_counts_before_its_event_arrives(parameters):
    parameters.set(SlowNode({}, lambda: parameters.on_event({'motion': 'trapezoid'})),
                   {'solver': 'ccd'})
    assert parameters == {'solver': 'ccd', 'motion': 'trapezoid'}


def test_a_change_during_a_fetch_counts(parameters):
    node = SlowNode({'solver': 'ccd', 'motion': 'none'},
                    lambda: parameters.on_event({'solver': 'dls'}))
    parameters.fetch(node)
    assert parameters == {'solver': 'dls', 'motion': 'none'}
    node.meanwhile = lambda: None
    parameters.fetch(node)
    assert parameters['solver'] == 'ccd'  # events of earlier requests no longer count


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
