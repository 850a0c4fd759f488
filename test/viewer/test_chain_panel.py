"""The links that an arm can have at its ends, and the solvers that fit it."""

from types import SimpleNamespace

import pytest

pytest.importorskip('rclpy', reason='ROS 2 is not installed (make test brings it from PyPI)')

import robots
from browser import until, view_of
from ik_node import KinematicTree, make_solver
from ik_node.exceptions import UnsupportedError
from ik_node.viewer.chain_panel import ends, fit
from ros_harness import running


def test_every_base_and_tip_that_is_offered_makes_an_arm():
    tree = KinematicTree.from_urdf(robots.OWN / 'torso.urdf')
    offered = ends(tree)
    for tip in offered['tip_link']:
        assert tree.chain(tree.root, tip).n_joints > 0
    for base in offered['base_link']:
        assert tree.leaves(base) != [base]
    assert 'base_link' not in offered['tip_link']
    assert 'left_tool0' in offered['tip_link']


def test_solvers_that_fit_are_listed_and_the_others_have_their_reason():
    chain = KinematicTree.from_urdf(robots.OWN / 'arm_6r.urdf').chain()
    words, *reasons = fit(chain).split('\n')
    assert words.startswith('Solvers for this arm: analytic, ')
    assert 'dls' in words
    assert [reason.split(':')[0] for reason in reasons if reason] == ['- example']


def test_the_reason_is_that_of_the_solver():
    tree = KinematicTree.from_urdf(robots.robot(
        robots.joint('a', 'revolute', 'base', 'la', limit='lower="-1" upper="1"'),
        robots.joint('b', 'revolute', 'la', 'lb', xyz='0 0 1', axis='1 0 0', mimic='joint="a"')))
    chain = tree.chain()
    with pytest.raises(UnsupportedError) as error:
        make_solver('analytic', chain)
    assert f'- analytic: {error.value}' in fit(chain)


def test_the_base_that_is_chosen_is_the_nodes_and_the_nodes_is_shown():
    with (running(urdf_path=robots.OWN / 'arm_6r.urdf') as node,
          view_of(node._domain.id) as (_, view, (robot_view,))):
        panel = view._chain
        widget = panel._ends['base_link']
        assert until(lambda: 'link_1' in widget.options and robot_view.chain is not None)
        widget.value = 'link_1'
        panel._choose('base_link', SimpleNamespace(client=1))  # as from the page
        assert node.get('base_link') == 'link_1'
        assert until(lambda: robot_view.chain.n_joints == 5)
        assert node.set(base_link='')[0]
        assert until(lambda: widget.value == 'automatic')
        assert until(lambda: panel._fit.content.startswith('Solvers for this arm: analytic'))
