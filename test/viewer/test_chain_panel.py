"""The links that an arm can have at its ends, and the solvers that fit it."""

import pytest

pytest.importorskip('viser', reason='viser is not installed (pip install ik_node[view])')

import robots
from ik_node import KinematicTree, make_solver
from ik_node.exceptions import UnsupportedError
from ik_node.viewer.chain_panel import ends, fit


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
