"""What a node has told: its state, the worst that hinders goals first, and its targets."""

from types import SimpleNamespace

import pytest

from ik_node.ros.clients.connection import Report
from ik_node.viewer import node_state
from ik_node.viewer.node_parameters import Freedom, NodeParameters, Target, task_targets
from ik_node.viewer.node_state import (
    AMBER,
    GREEN,
    GREY,
    RED,
    Errors,
    NodeState,
    StateLine,
    outcome_line,
)
from ik_node.viewer.scene_nodes import matrix

MET = Report(0, 'the goal is met', {})
ALL, NONE = (True,) * 3, (False,) * 3


def state(*, responds=True, lifecycle='active', report=MET):
    made = NodeState()
    made.update(responds, lifecycle)
    if report:
        made.on_report(report)
    return made


@pytest.mark.parametrize(('made', 'color', 'words'), [
    (state(responds=False), GREY, 'waiting for the node'),
    (state(lifecycle='inactive'), AMBER, 'inactive'),
    (state(report=None), GREY, 'no goal yet'),
    (state(), GREEN, 'reached'),
    (state(report=Report(1, 'out of reach; the closest is published', {
        'position_error': '0.12', 'orientation_error': '1e-9'})),
     AMBER, 'as near as possible: 120 mm'),
    (state(report=Report(2, 'out of reach, proved; holding', {'position_error': '0.12'})),
     RED, 'not reached: 120 mm'),
    (state(report=Report(2, 'the robot has changed', {'reason': 'REFUSED'})), RED, 'refused'),
    (state(report=Report(0, 'waypoint 2 of 3: the goal is met', {})), GREEN,
     'waypoint 2 of 3: reached'),
    (state(report=Report(0, 'all waypoints: the goal is met', {})), GREEN, 'path: reached'),
    (state(report=Report(2, 'all waypoints: waypoint 2 of 3: out of reach', {})), RED,
     'waypoint 2 of 3: not reached')])
def test_the_state_is_one_line(made, color, words):
    assert made.line().color == color
    assert words in made.line().text


def test_a_task_that_is_met_where_others_are_not_says_so():
    values = {'task': 'look', 'position_error': '1e-9', 'orientation_error': '0'}
    assert outcome_line(Report(1, 'stopped; the closest is published', values), 0.0)[1:] == (
        'look: as near as possible', 'other tasks are not met: stopped')
    values['reason'] = 'COLLISION'
    assert outcome_line(Report(1, 'in collision; the closest is published', values), 0.0)[1:] == (
        'look: as near as possible', 'in collision')


def test_a_goal_that_is_sent_to_a_silent_node_is_not_said_to_be_solved(monkeypatch):
    monkeypatch.setattr(node_state, '_SEEN', -1.0)
    made = state()
    made.on_goal()
    made.update(False, '')
    assert made.line().text == 'solving …'  # it may be busy with that
    made = state()
    made.update(False, '')
    made.on_goal()
    assert 'does not respond' in made.line().text


def test_a_motion_is_shown_with_its_rest_until_it_ends():
    report = Report(1, 'out of reach; the closest is published; moving for 2.464 s', {
        'motion_duration': '2.464', 'position_error': '0.108'})
    assert outcome_line(report, 1.264) == (AMBER, 'moving, 1.2 s left', 'out of reach')
    gap = Errors(0.12, 0.0)
    assert outcome_line(report, 2.5, gap) == (AMBER, 'as near as possible: 120 mm', 'out of reach')


def test_without_a_report_a_goal_may_be_reached_by_joint_values():
    made = state()
    made.leave_goal(StateLine(GREEN, 'reached: branch 2 of 8'))
    assert made.line()[:2] == (GREEN, 'reached: branch 2 of 8')
    made.forget_goal()
    assert made.line().text == 'reached: branch 2 of 8'
    made.on_report(MET)
    made.forget_goal()
    assert made.line().text == 'no goal yet'


def test_a_report_is_not_shown_while_the_node_does_not_respond():
    made = state()
    assert not made.update(False, 'active')
    assert made.line().color == RED
    assert 'does not respond' in made.line().text
    assert made.report is None
    assert made.update(True, 'active')
    assert made.report == MET
    assert not made.update(True, 'active')
    made.forget_goal()
    assert made.line().text == 'no goal yet'


def target(kind, **fields):
    (made,) = task_targets({'tasks': ['one'], 'one.type': kind, 'one.link': 'hand',
                            **{f'one.{name}': value for name, value in fields.items()}})
    return made


@pytest.mark.parametrize(('made', 'freedom', 'is_point'), [
    (target('pose'), Freedom(ALL, True), False),
    (target('relative_pose', reference='other'), Freedom(ALL, True), False),
    (target('orientation'), Freedom(NONE, True), False),
    (target('position'), Freedom(ALL, False), True),
    (target('look_at', axis=[1.0, 0.0, 0.0]), Freedom(ALL, False), True),
    (target('center_of_mass', target=[0.0, 0.0]), Freedom((True, True, False), False), True),
    (target('center_of_mass', target=[0.0, float('nan'), 0.9]),
     Freedom((True, False, True), False), True),
    (target('center_of_mass', target='none'), Freedom(ALL, False), True),
    (Target(), Freedom(ALL, True), False)])
def test_a_handle_sets_what_the_target_of_its_type_has(made, freedom, is_point):
    assert (made.freedom, made.is_point) == (freedom, is_point)


def test_tasks_whose_target_cannot_be_moved_have_no_handle():
    assert task_targets({'tasks': ['a', 'b', 'c'], 'a.type': 'half_space', 'b.type': 'none'}) == ()
    assert task_targets({'tasks': 'none'}) == task_targets({}) == ()


def test_a_target_that_the_node_would_not_keep_is_another_one():
    assert target('pose') != target('pose', link='foot') != target('position')
    assert target('pose') != target('pose', target=[0.0] * 6)
    assert target('pose', weight=2.0) == target('pose', point=[0.1, 0.0, 0.0], target='none')


def test_the_parts_that_a_handle_does_not_set_are_those_of_the_target():
    held = matrix((1.0, 2.0, 3.0), (0.6, 0.8, 0.0, 0.0))
    shown = matrix((4.0, 5.0, 6.0), (1, 0, 0, 0))
    assert Freedom().merge(held, shown) == pytest.approx(held)
    merged = Freedom((True, False, False), turns=False).merge(held, shown)
    assert merged == pytest.approx(matrix((1.0, 5.0, 6.0), (1, 0, 0, 0)))
    assert Freedom(NONE, True).merge(held, shown)[:3, 3] == pytest.approx(shown[:3, 3])
    rolled = 0.5**0.5, 0.5**0.5, 0.0, 0.0  # its z is the scene's -y
    merged = Freedom((True, True, False), True).merge(
        matrix((1.0, 2.0, 3.0), rolled), matrix((4.0, 5.0, 6.0), rolled))
    assert merged == pytest.approx(matrix((1.0, 5.0, 3.0), rolled))


def test_why_the_file_of_a_robot_cannot_be_read_is_stored():
    parameters = NodeParameters()
    parameters.fetch(SimpleNamespace(parameters=lambda: {
        'model_path': SimpleNamespace(value='/nowhere/arm.urdf')}))
    assert parameters.error == 'cannot read arm.urdf: No such file or directory'
