import re

import numpy as np
import pytest

import robots
from harness.page_here import page_with, panel_of
from ik_node import KinematicTree, make_solver
from ik_node.ros.clients.connection import SilentError

CHAIN = KinematicTree.from_urdf(robots.OWN / 'arm_6r.urdf').chain()
GOAL = CHAIN.forward([0.4, 0.3, -0.8, 0.5, -0.9, 0.2])


@pytest.fixture(scope='module')
def found():
    return make_solver('analytic', CHAIN).solve_all(GOAL)


@pytest.fixture
def page(found):
    with page_with('arm_6r') as made:
        made.node.listed = 'eight inside the limits', {CHAIN.joint_names: found}
        made.node.stand(found[0])
        made.settle()
        yield made


def rows(page):
    """Return the rows of the table: the numbers of each, and which is bold."""
    (table,) = [widget for path, widget, _ in page.widgets()
                if path == ('Branches', '') and '<' in widget.content] or [None]
    lines = [] if table is None else re.findall(
        r'<tr onclick="[^"]*"( style="font-weight:bold")?>(<td>.*?)</tr>', table.content)
    cells = [re.findall(r'<td[^>]*>(.*?)</td>', row) for _, row in lines]
    return ([[float(re.sub(r'[^-\d.e]', '', cell)) for cell in row] for row in cells],
            [bool(bold) for bold, _ in lines])


def test_every_branch_is_listed_with_its_distance_from_a_singularity(page, found):
    page.choose('Branches', 'branch', value='List them')
    assert page.node.sent[-1] == 'solve_all'
    assert 'eight inside the limits' in page.text('Branches')
    listed, bold = rows(page)
    assert bold == [True] + [False] * (len(found) - 1)
    assert np.radians([row[1:7] for row in listed]) == pytest.approx(found, abs=0.01)
    for row, q in zip(listed, found):
        sigma = np.linalg.svd(CHAIN.jacobian(q), compute_uv=False).min()
        assert row[7] == pytest.approx(sigma, rel=0.1, abs=5e-3)


def test_the_arm_goes_to_the_branch_that_is_chosen(page, found):
    page.choose('Branches', 'branch', value='List them')
    for number in 1, 0, len(found) - 1:
        page.choose('Branches', 'branch', value=str(number + 1))
        assert page.q() == pytest.approx(found[number], abs=1e-9)
        assert rows(page)[1].index(True) == number
        assert page.robot_view.pose(CHAIN.tip_link) == pytest.approx(GOAL, abs=1e-5)
        assert f'reached: branch {number + 1} of {len(found)}' in page.text()
    assert page.node.get('start_pose') == 'none'


def test_the_row_where_the_arm_is_is_bold_and_a_new_goal_has_other_branches(page, found):
    page.choose('Branches', 'branch', value='List them')
    page.stand(found[0] + 0.1)
    assert rows(page)[1] == [False] * len(found)
    page.stand(found[3])
    assert rows(page)[1].index(True) == 3
    page.drag(page.handle().T)
    assert rows(page) == ([], [])
    assert 'eight' not in page.text('Branches')


def test_a_step_to_another_branch_is_taken_back_by_itself(page, found):
    page.drag(page.handle().T)
    page.choose('Branches', 'branch', value='List them')
    page.choose('Branches', 'branch', value='2')
    page.undo()
    assert page.q() == pytest.approx(found[0], abs=1e-6)
    page.redo()
    assert page.q() == pytest.approx(found[1], abs=1e-9)


def test_no_branch_is_offered_before_they_are_listed_and_a_refused_one_is_reported(page):
    assert page.widget('Branches', 'branch').options == ('List them',)
    page.choose('Branches', 'branch', value='List them')
    page.node.refusal = 'it is inactive'
    page.choose('Branches', 'branch', value='2')
    assert page.told == ['it is inactive']
    assert rows(page)[1].index(True) == 0


def test_without_branches_the_reason_is_the_nodes(page, monkeypatch):
    page.choose('Branches', 'branch', value='List them')

    def refuse():
        raise SilentError('dls has no solve_all')
    monkeypatch.setattr(page.node, 'branches', refuse)
    page.choose('Branches', 'branch', value='List them')
    assert 'No branches: dls has no solve_all.' in page.text('Branches')
    assert rows(page) == ([], [])


def test_another_robot_has_no_branches_yet_nor_those_that_come_late(page, found):
    page.choose('Branches', 'branch', value='List them')
    page.choose('robot', value='scara')
    assert rows(page) == ([], [])
    assert 'eight' not in page.text('Branches')
    panel_of(page.view, 'Branches')._branches = found  # that come only now
    page.settle()
    assert rows(page) == ([], [])
    assert page.told == []
