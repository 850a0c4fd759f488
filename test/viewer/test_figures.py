"""A node whose solver moves the whole body: with the goal of a tip, and with tasks."""

import numpy as np
import pytest

from harness.page_here import page_with
from ik_node.control.options import BODY_SOLVERS

PANELS = ('Path', 'Workspace', 'position only')


def hidden(page):
    """Return which panels of an arm are hidden."""
    return {name for name in PANELS if not page.shows(name)}


def raised(page, task='', by=0.03):
    T = page.handle(task).T.copy()
    T[2, 3] += by
    return T


def test_the_goal_of_a_tip_stays_the_goal_with_a_solver_of_the_body_and_tasks_follow():
    with page_with('arm_7r') as page:
        arm, tip = page.handle(), page.robot_view.chain.tip_link
        assert hidden(page) == set()
        page.set(solver='least_squares')
        assert hidden(page) == {'Path'}
        assert page.handle() is arm
        assert len([path for path, *_ in page.widgets() if len(path) == 2
                    and path[0] == 'Joints']) == 7
        page.stand([0.1, 0.4, 0.1, 0.8, 0.1, 0.5, 0.1])
        goal = raised(page, by=-0.05)
        page.drag(goal)
        assert page.robot_view.pose(tip) == pytest.approx(goal, abs=1e-4)
        assert 'reached' in page.text()

        page.set(tasks=['hand'], hand__link=tip, hand__type='position')
        assert page.handle() is None
        assert hidden(page) == set(PANELS)
        assert set(page.widget('Solver', 'solver').options) == set(BODY_SOLVERS)
        goal = raised(page, 'hand')
        page.drag(goal, 'hand')
        assert page.robot_view.pose(tip)[:3, 3] == pytest.approx(goal[:3, 3], abs=1e-4)
        assert 'hand: reached' in page.text()

        page.set(tasks='none', solver='dls')
        assert page.handle('hand') is None
        assert hidden(page) == set()
        assert page.handle().T == pytest.approx(page.robot_view.pose(tip), abs=1e-4)


@pytest.mark.parametrize('base', ['', 'base_link'])
def test_goals_of_a_tip_are_in_the_world_where_the_root_moves_and_no_base_is_named(base):
    with page_with('arm_7r', solver='least_squares', root='planar', base_link=base,
                   root_pose=[1.0, 0.5, 0.0, 0.0, 0.0, 1.0]) as page:
        root = page.robot_view.pose('base_link')
        assert root[:2, 3] == pytest.approx([1.0, 0.5], abs=1e-6)
        goal = raised(page, by=-0.02)
        page.drag(goal)
        sent = page.node.sent[-1][2]
        assert sent == pytest.approx(np.linalg.inv(root) @ goal if base else goal, abs=1e-6)
