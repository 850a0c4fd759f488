"""show_branches and interactive_marker, and what of the markers goes when."""

import importlib.util

import pytest
from visualization_msgs.msg import Marker, MarkerArray

import robots
from harness.marker_checks import check_markers
from harness.node_here import running
from ik_node import KinematicTree, make_solver
from ik_node.support.exceptions import UnsupportedError

ARM = robots.OWN / 'arm_6r.urdf'
NOT_INSTALLED = 'no handles in RViz: interactive_markers is not installed'
HAVE = importlib.util.find_spec('interactive_markers') is not None


@pytest.fixture(scope='module')
def chain():
    return robots.chain('arm_6r')


@pytest.fixture(scope='module')
def node():
    with running(urdf_path=ARM, solver='analytic') as running_node:
        yield running_node.ready()


def shown(array):
    return {marker.ns for marker in array.markers if marker.action == Marker.ADD}


def words(array):
    return next(marker.text for marker in array.markers if marker.ns == 'status').split('\n')


def test_branches_are_shown_when_asked_for_and_gone_when_not(node, chain):
    heard = node.listen(MarkerArray, 'ik_node/markers')
    goal = chain.forward([0.3, 0.2, -0.6, 0.3, -0.8, 0.2])
    count = len(make_solver('analytic', chain).solve_all(goal))
    node.client.send(goal)
    assert node.until(lambda: heard and 'goal' in shown(heard[-1]))
    assert 'branches' not in shown(heard[-1])
    assert node.set(show_branches=True) == (True, '')
    try:
        assert node.until(lambda: 'branches' in shown(heard[-1])), node.log()
        assert f'{count} branches inside the limits' in words(heard[-1])
        lines = next(m for m in heard[-1].markers if (m.ns, m.id) == ('branches', 0))
        assert len({(c.r, c.g, c.b) for c in lines.colors}) == count > 1
        assert all(0.0 < color.a < 1.0 for color in lines.colors)
    finally:
        assert node.set(show_branches=False) == (True, '')
    assert node.until(lambda: 'branches' not in shown(heard[-1]))
    assert node.reset().success  # which ends the goal
    assert node.until(lambda: 'goal' not in shown(heard[-1]))
    deleted = [m.ns for array in heard for m in array.markers if m.action == Marker.DELETE]
    assert deleted.count('branches') == 2


def test_where_there_are_no_branches_the_status_says_why():
    text = robots.robot(
        robots.joint('a', 'revolute', 'base', 'la', limit='lower="-1" upper="1"'),
        robots.joint('b', 'revolute', 'la', 'lb', xyz='0 0 1', axis='1 0 0', mimic='joint="a"'))
    chain = KinematicTree.from_urdf(text).chain()
    with pytest.raises(UnsupportedError) as error:
        make_solver('analytic', chain)
    expected = f'no branches shown: {error.value}'
    with running(robot_description=text, show_branches=True) as node:
        heard = node.listen(MarkerArray, 'ik_node/markers')
        node.client.send(chain.forward([0.3]))
        assert node.until(lambda: heard and ' '.join(words(heard[-1])).endswith(expected), 60.0)
        assert 'branches' not in shown(heard[-1])
        assert expected in node.log()


def test_another_robot_and_the_end_of_activity_leave_nothing_behind():
    with running() as node:
        heard = node.listen(MarkerArray, 'ik_node/markers')
        node.send_description(ARM.read_text())
        chain = robots.chain('arm_6r')
        node.ready().client.send(chain.forward([0.3, 0.2, -0.6, 0.3, -0.8, 0.2]), timeout=240.0)
        assert node.until(lambda: heard and 'goal' in shown(heard[-1]))
        node.send_description((robots.OWN / 'planar_3r.urdf').read_text())
        assert node.until(lambda: 'goal' not in shown(heard[-1])), node.log()
        assert node.transition('deactivate')
        assert node.until(lambda: heard[-1].markers and shown(heard[-1]) == set())
        there = set()
        for array in heard:
            check_markers(array, {'base_link'})
            for marker in array.markers:
                if marker.action == Marker.DELETE:
                    there.remove((marker.ns, marker.id))  # nothing is deleted that was not there
                else:
                    there.add((marker.ns, marker.id))
        assert there == set()


def test_without_the_package_the_log_says_so_once_and_only_where_handles_are_wanted():
    if HAVE:
        pytest.skip('interactive_markers is installed')
    with running(urdf_path=ARM, interactive_marker=False) as node:
        assert NOT_INSTALLED not in node.log()
        for wanted in (True, False, True):
            assert node.set(interactive_marker=wanted) == (True, '')
        assert node.until(lambda: NOT_INSTALLED in node.log())
        assert node.set(solver='ccd') == (True, '')
        assert node.log().count(NOT_INSTALLED) == 1
        assert node.alive()
