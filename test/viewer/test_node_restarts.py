"""A node that starts, is silent, or is another process than before, as the page shows it."""

import numpy as np
import pytest

import robots
from harness.fake_node import FakeNode
from harness.page_here import moved, page_of
from ik_node import KinematicTree
from ik_node.viewer import node_state
from ik_node.viewer.readout import readout

CHAIN = KinematicTree.from_urdf(robots.OWN / 'arm_6r.urdf').chain()
MET, NO_GOAL, SILENT = 'reached', 'no goal yet', 'the node does not respond'


def test_a_description_by_topic_is_drawn_once_there_is_one():
    node = FakeNode()
    with page_of(node) as page:
        assert 'waiting for its robot' in page.text()
        page.robot_view.on_description((robots.OWN / 'planar_3r.urdf').read_text())
        page.settle()
        assert 'planar_3r, 3 joints' in page.text()
        page.robot_view.on_description('<robot')
        page.settle()
        assert '⚠' in page.text()
        assert 'planar_3r' in page.text()  # stays


def test_a_node_is_awaited_and_its_states_are_reported(monkeypatch):
    monkeypatch.setattr(node_state, '_LATE', -1.0)
    node = FakeNode(model_path=str(robots.OWN / 'arm_6r.urdf'))
    node.responds = False
    with page_of(node) as page:
        page.robot_view.state.is_starting = lambda: True
        page.update()
        assert 'starting the node' in page.text()
        assert 'ros2 run' not in page.text()
        page.robot_view.state.is_starting = lambda: False
        page.update()
        assert 'waiting for the node' in page.text()
        assert 'ros2 run ik_node ik_node --ros-args -p model_path:=arm_6r' in page.command()
        assert not page.shows('Solver', 'solver')
        node.responds = True
        page.settle()
        assert NO_GOAL in page.text()
        assert 'ros2 run' not in page.text()
        assert page.shows('Solver', 'solver')
        node.lifecycle = 'inactive'
        page.settle()
        assert 'the node is inactive' in page.text()
        assert 'it accepts no goals' in page.text()


def test_a_silent_node_has_no_goal_and_no_markers_and_one_that_was_busy_keeps_the_handle(page):
    T = moved(page)
    page.drag(T)
    page.node.responds = False
    page.settle()
    assert SILENT in page.text()
    assert MET not in page.text()
    assert not page.drawn('/ik_node/markers/')
    page.node.responds = True
    page.settle()
    assert page.told == ['ik_node responds again']
    assert MET in page.text()
    assert page.handle().T == pytest.approx(T)


@pytest.mark.parametrize('silent', [True, False])
def test_a_node_that_was_started_again_has_another_handle_and_its_parameters_are_fetched(
        page, silent):
    page.drag(moved(page))
    page.node.responds = not silent  # it may be back before it counts as silent
    if silent:
        page.settle()
    page.node.process, page.node.responds = b'2', True
    page.node._values['solver'] = 'ccd'  # without an event
    page.stand(np.zeros(6))
    assert page.robot_view.restarts == 1
    assert page.told == ['ik_node responds again']
    assert NO_GOAL in page.text()
    assert page.handle().T == pytest.approx(CHAIN.forward(np.zeros(6)), abs=1e-5)
    assert page.widget('Solver', 'solver').value == 'ccd'


def test_parameters_are_fetched_once_the_node_responds_to_requests(page):
    page.node.responds = False
    page.settle()
    page.node._values['solver'] = 'ccd'  # without an event
    page.node.responds, page.node.lifecycle = True, ''
    page.settle()
    assert page.robot_view.parameters.outdated
    assert 'reading its parameters …' in page.text()
    assert not any(name in readout([page.robot_view]) for name in ('dls', 'ccd'))
    page.node.lifecycle = 'active'
    page.settle()
    assert page.widget('Solver', 'solver').value == 'ccd'
    assert 'ccd' in readout([page.robot_view])
    assert 'reading' not in page.text()


@pytest.mark.parametrize(('process', 'goals'), [(b'1', 2), (b'2', 1)], ids=['busy', 'another'])
def test_a_changed_solver_counts_once_it_is_clear_whether_the_node_has_restarted(
        page, process, goals):
    def sent():
        return sum(one[0] == 'goal' for one in page.node.sent)
    page.drag(moved(page))
    page.node.responds = False
    page.settle()
    page.node.responds, page.node.lifecycle = True, ''
    page.set(solver='ccd')
    assert sent() == 1
    page.node.lifecycle, page.node.process = 'active', process
    page.settle()
    assert sent() == goals


def test_parameters_that_do_not_come_are_asked_for_again(page):
    page.robot_view.parameters.expire()
    page.node.refusal = 'the node does not respond: parameters'
    page.settle()
    assert page.node.refusal in page.told
    page.node.refusal = ''
    page.settle()
    assert not page.robot_view.parameters.outdated


def test_the_solver_of_another_process_is_not_shown_while_its_parameters_are_read(
        page, monkeypatch):
    fetch, shown = page.node.parameters, []

    def parameters(prefixes=()):
        shown.append(readout([page.robot_view]))
        return fetch(prefixes)
    monkeypatch.setattr(page.node, 'parameters', parameters)
    page.node.process = b'2'
    page.node._values['solver'] = 'ccd'  # without an event
    page.settle()
    assert 'reading its parameters …' in shown[0]
    assert 'dls' not in shown[0]
    assert 'ccd' in readout([page.robot_view])
