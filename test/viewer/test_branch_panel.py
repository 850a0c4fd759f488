"""The table of branches, and the arm in one after the other; plots of the last goals."""

import re

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='ROS 2 is not installed (make test brings it from PyPI)')

import robots
from browser import until, view_of
from ik_node import KinematicTree, make_solver
from ik_node.viewer.time_plot import distinct_colors
from ros_harness import running

CHAIN = KinematicTree.from_urdf(robots.OWN / 'arm_6r.urdf').chain()


@pytest.fixture(scope='module')
def seen():
    with (running(urdf_path=robots.OWN / 'arm_6r.urdf', solver='auto') as node,
          view_of(node._domain.id) as (_, view, (robot_view,))):
        assert until(lambda: robot_view.is_placed and view._branches._chain is robot_view.chain)
        yield node, view, robot_view


def rows(panel):
    """Return the rows of the table: the numbers of each, and which is bold."""
    lines = re.findall(r'<tr( style="font-weight:bold")?>(<td>.*?)</tr>', panel._table.content)
    cells = [re.findall(r'<td[^>]*>(.*?)</td>', row) for _, row in lines]
    return ([[float(re.sub(r'[^-\d.e]', '', cell)) for cell in row] for row in cells],
            [bool(bold) for bold, _ in lines])


def test_without_branches_the_reason_is_the_nodes(seen):
    node, view, _ = seen
    text = view._branches._text
    view._branches._work.give('List them')
    assert until(lambda: text.content == 'No branches: there is no goal yet.')
    assert node.set(solver='dls')[0]
    assert node.client.send(CHAIN.forward(CHAIN.neutral() + 0.1)).met
    view._branches._work.give('List them')
    assert until(lambda: text.content.startswith('No branches: dls has no solve_all; '))
    assert node.set(solver='auto')[0]


def test_every_branch_is_listed_and_the_arm_goes_through_them(seen):
    node, view, robot_view = seen
    goal = CHAIN.forward([0.4, 0.3, -0.8, 0.5, -0.9, 0.2])
    assert node.client.send(goal).met
    expected = make_solver('analytic', CHAIN).solve_all(goal)
    panel = view._branches
    panel._work.give('List them')
    assert until(lambda: len(rows(panel)[0]) == len(expected) > 3)
    listed, bold = rows(panel)
    assert bold == [True] + [False] * (len(expected) - 1)
    found = np.radians([row[1:7] for row in listed])
    for q in expected:
        apart = np.remainder(found - q + np.pi, 2.0 * np.pi) - np.pi  # at any turn
        assert np.abs(apart).max(axis=1).min() < 0.01  # three digits in the table
    for row, q in zip(listed, found):
        sigma = np.linalg.svd(CHAIN.jacobian(q), compute_uv=False).min()
        assert row[7] == pytest.approx(sigma, rel=0.1, abs=5e-3)

    def stands_in(number):
        values = [robot_view.values[name] for name in CHAIN.joint_names]
        return np.abs(found[number] - values).max() < 0.01
    panel._work.give('Next')
    assert until(lambda: stands_in(1) and rows(panel)[1].index(True) == 1)
    assert robot_view.pose(CHAIN.tip_link) == pytest.approx(goal, abs=1e-4)
    for number in (0, len(expected) - 1):
        panel._work.give('Previous')
        assert until(lambda number=number: stands_in(number))
    assert node.get('start_pose') == 'none'


def test_another_robot_has_no_branches_yet(seen):
    node, view, _ = seen
    assert node.set(model_path=str(robots.OWN / 'scara.urdf'), urdf_path='')[0]
    assert until(lambda: view._branches._table.content == '')
    assert node.set(model_path=str(robots.OWN / 'arm_6r.urdf'))[0]


def test_the_quantity_that_is_chosen_is_plotted(seen):
    node, view, robot_view = seen
    assert until(lambda: robot_view.chain is not None and robot_view.chain.n_joints == 6)
    assert node.set(solver='dls')[0]  # which takes steps
    assert node.client.send(CHAIN.forward(CHAIN.neutral() + 0.2)).met
    plot = view._plot
    assert until(lambda: robot_view.reports and 0.0 < plot._plot.data[1][-1] < 1e3)
    plot._chosen.value = 'steps'
    steps = float(robot_view.reports[-1].values['iterations'])
    assert steps > 1
    assert until(lambda: plot._plot.data[1][-1] == steps)
    plot._chosen.value = 'position error, mm'
    error = 1e3 * float(robot_view.reports[-1].values['position_error'])
    assert until(lambda: plot._plot.data[1][-1] == pytest.approx(error, abs=1e-9))


def test_the_joints_are_plotted_between_their_limits(seen):
    _, view, robot_view = seen
    plot = view._time_plots[0]
    assert plot._plot is None
    plot._shown.value = True
    q = CHAIN.lower + np.array([0.1, 0.9, 0.3, 0.5, 0.7, 0.4]) * (CHAIN.upper - CHAIN.lower)
    robot_view.go_to(q.tolist())

    def newest():
        return [] if plot._plot is None else [line[-1] for line in plot._plot.data[1:]]
    assert until(lambda: newest() == pytest.approx([10.0, 90.0, 30.0, 50.0, 70.0, 40.0], abs=0.01))
    assert [series['label'] if isinstance(series, dict) else series.label
            for series in plot._plot.series] == ['s', *CHAIN.joint_names]
    assert len(set(distinct_colors(7))) == 7
    times = plot._plot.data[0]
    assert (np.diff(times) > 0.0).all()
    assert -30.0 <= times[0] <= times[-1] == 0.0
    plot._shown.value = False
    assert until(lambda: plot._plot is None)


def test_the_manipulability_is_plotted_for_the_axes_that_goals_ask_for(seen):
    node, view, robot_view = seen
    plot = view._time_plots[1]
    plot._shown.value = True
    q = np.array([0.4, 0.3, -0.8, 0.5, -0.9, 0.2])
    robot_view.go_to(q.tolist())
    J = CHAIN.jacobian(q)

    def newest():
        return None if plot._plot is None else plot._plot.data[1][-1]
    assert until(lambda: newest() == pytest.approx(abs(np.linalg.det(J)), rel=1e-4))
    assert node.set(task_weights=[1.0, 1.0, 1.0, 0.0, 0.0, 0.0])[0]
    positions = np.sqrt(np.linalg.det(J[:3] @ J[:3].T))
    assert until(lambda: newest() == pytest.approx(positions, rel=1e-4))
    assert node.set(task_weights=[1.0] * 6)[0]
    plot._shown.value = False
    assert until(lambda: plot._plot is None)
