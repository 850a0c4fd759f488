import re

import numpy as np
import pytest

import robots
from harness.page_here import page_with
from ik_node import Goal, KinematicTree, make_solver

ARM = KinematicTree.from_urdf(robots.OWN / 'arm_6r.urdf').chain()
Q = np.array([0.2, 0.3, -0.4, 0.1, -0.5, 0.0])
GOAL = ARM.forward(Q + 0.1)
METHODS = ['pseudoinverse', 'dls', 'transpose', 'ccd']


@pytest.fixture
def page():
    """The page of an arm near its goal, with the steps shown."""
    with page_with('arm_6r') as made:
        made.drag(GOAL)
        made.node.stand(Q)
        made.choose('Steps', 'show steps', value=True)
        yield made


def step(method, **options):
    return make_solver(method, ARM, **options).step(Goal.from_pose(GOAL), Q)


def arrows(page):
    """Return the paths of the tip that are drawn, in order of the methods."""
    return [node.points[..., 1, :] for node in page.drawn('/ik_node/steps/').values()
            if hasattr(node, 'thickness')]


def test_arrows_show_the_step_of_each_method_and_a_table_how_far_it_gets(page):
    (table,) = [widget.content for path, widget, _ in page.widgets()
                if path == ('Steps', '') and '<' in getattr(widget, 'content', '')]
    rows = re.findall(r'</span> (\w+)</td><td[^>]*>(.*?)</td><td', table)
    assert [name for name, _ in rows] == METHODS
    for method, path, (_, largest) in zip(METHODS, arrows(page), rows):
        dq = step(method)
        assert path[-1] == pytest.approx(ARM.forward(Q + dq)[:3, 3], abs=1e-4)
        assert float(largest.rstrip('°')) == pytest.approx(np.degrees(np.abs(dq).max()), rel=0.06)


def test_the_options_are_those_of_the_node(page):
    page.robot_view.enable(False)  # the goal is not solved again
    page.set(dls__damping=2.0)
    tip = ARM.forward(Q + step('dls', damping=2.0))[:3, 3]
    assert arrows(page)[1][-1] == pytest.approx(tip, abs=1e-4)
    page.set(task_weights='auto', dls__damping='none')
    tip = ARM.forward(Q + step('dls'))[:3, 3]
    assert arrows(page)[1][-1] == pytest.approx(tip, abs=1e-4)


def test_a_chart_has_the_errors_after_more_steps(page):
    (chart,) = (widget for path, widget, _ in page.widgets()
                if 'Steps' in path and hasattr(widget, 'data'))
    errors, q, solver = chart.data[1 + METHODS.index('ccd')], Q, make_solver('ccd', ARM)
    assert len(errors) == 21
    for error in errors:
        missing = np.linalg.norm(ARM.forward(q)[:3, 3] - GOAL[:3, 3])
        assert error == pytest.approx(max(1e3 * missing, 1e-6), rel=0.01)
        q = q + solver.step(Goal.from_pose(GOAL), q)


def test_steps_honour_position_only(page):
    page.robot_view.enable(False)
    page.choose('Goal', 'position only', value=True)
    dq = make_solver('dls', ARM).step(Goal(GOAL[:3, 3]), Q)
    assert arrows(page)[1][-1] == pytest.approx(ARM.forward(Q + dq)[:3, 3], abs=1e-4)


def test_the_arm_takes_a_step_inside_its_limits(page):
    page.choose('Steps', 'one step', value='ccd')
    assert page.q() == pytest.approx(np.clip(Q + step('ccd'), ARM.lower, ARM.upper), abs=1e-9)
    page.node.refusal = 'it is busy'
    page.choose('Steps', 'one step', value='ccd')
    assert page.told == ['it is busy']


def test_a_step_is_taken_back_by_itself(page):
    T, places = page.handle().T, []
    for _ in range(2):
        page.choose('Steps', 'one step', value='ccd')
        places.append((page.q(), page.text().partition('step of')[2][:30]))
    for move, (q, state) in zip(('undo', 'redo'), places):
        getattr(page.view.page.history, move)()
        page.settle()
        assert page.q() == pytest.approx(q)
        assert page.handle().T == pytest.approx(T)
        assert state in page.text()


def test_the_state_after_a_step_is_how_far_the_goal_is(page):
    page.choose('Steps', 'one step', value='transpose')
    off = np.linalg.norm(ARM.forward(page.q())[:3, 3] - GOAL[:3, 3])
    found = re.search(r'after a step of transpose: ([\d.]+) mm', page.text())
    assert float(found[1]) == pytest.approx(1e3 * off, abs=0.6)


def test_a_step_without_the_arrows_has_the_present_options_of_the_node(page):
    page.choose('Steps', 'show steps', value=False)
    assert not page.drawn('/ik_node/steps/')
    assert page.text('Steps').strip() == ''
    page.set(dls__damping=2.0)
    page.node.stand(Q)
    page.drag(GOAL)
    page.stand(Q)
    page.choose('Steps', 'one step', value='dls')
    expected = np.clip(Q + step('dls', damping=2.0), ARM.lower, ARM.upper)
    assert page.q() == pytest.approx(expected, abs=1e-9)


def test_a_goal_that_asks_for_nothing_has_no_steps_and_the_reason_is_shown(page):
    page.node._values['task_weights'] = (0.0,) * 6  # which a node refuses
    page.robot_view.on_parameters({'task_weights': [0.0] * 6})
    page.settle()
    assert not page.drawn('/ik_node/steps/')
    assert 'weights' in page.text('Steps')


def test_without_a_goal_one_out_of_reach_is_chosen_along_what_the_arm_serves():
    for robot in 'arm_6r', 'planar_3r':
        with page_with(robot) as page:
            tip = page.robot_view.chain.tip_link
            page.choose('Steps', 'show steps', value=True)
            (sent,) = [sent for sent in page.node.sent if sent[0] == 'goal']
            place = sent[2][:3, 3]
            assert np.linalg.norm(place) > 1.1 * page.robot_view.reach
            if robot == 'planar_3r':
                assert place[2] == pytest.approx(page.robot_view.pose(tip)[2, 3])
            assert len(arrows(page)) == len(METHODS)
