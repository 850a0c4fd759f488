"""The links that an arm can have at its ends, and the solvers that fit it."""

import html
import re

import pytest

import robots
from ik_node import KinematicTree, make_solver
from ik_node.spatial import pose_from_rpy
from ik_node.support.exceptions import UnsupportedError
from ik_node.viewer.arm_panels import ends
from ik_node.viewer.node_parameters import ARM_GOAL
from ik_node.viewer.solver_panel import solver_list, unfit


def test_every_base_and_tip_that_is_offered_makes_an_arm():
    tree = KinematicTree.from_urdf(robots.OWN / 'torso.urdf')
    offered = ends(tree)
    for tip in offered['tip_link']:
        assert tree.chain(tree.root, tip).n_joints > 0
    for base in offered['base_link']:
        assert tree.leaves(base) != [base]
    assert 'base_link' not in offered['tip_link']
    assert 'left_tool0' in offered['tip_link']


def test_solvers_that_fit_come_first_with_what_they_are_for_and_others_with_their_reason():
    chain = KinematicTree.from_urdf(robots.OWN / 'arm_6r.urdf').chain()
    reasons = unfit(chain)
    assert reasons.keys() == {'example'}
    lines = re.findall(r'<div class="([\w-]*)"><b>(.*?)</b> (.*?)</div>', solver_list(
        ('example', 'ccd', 'dls'), reasons, 'dls'))
    assert lines == [('', 'dls', 'everything; the default'), ('', 'ccd', 'long chains'),
                     ('ik-unfit', 'example', html.escape(reasons['example']))]


def test_the_reason_is_that_of_the_solver():
    tree = KinematicTree.from_urdf(robots.robot(
        robots.joint('a', 'revolute', 'base', 'la', limit='lower="-1" upper="1"'),
        robots.joint('b', 'revolute', 'la', 'lb', xyz='0 0 1', axis='1 0 0', mimic='joint="a"')))
    chain = tree.chain()
    with pytest.raises(UnsupportedError) as error:
        make_solver('analytic', chain)
    assert unfit(chain)['analytic'] == str(error.value).removeprefix('analytic ')


def test_the_base_that_is_chosen_is_the_nodes_and_the_nodes_is_shown(page):
    page.choose('robot', value='arm_7r')  # with a start pose
    assert page.widget('Arm', 'base').value == 'automatic'
    page.choose('Arm', 'base', value='link_1')
    assert page.told == []
    assert page.node.get('base_link') == 'link_1'
    assert page.robot_view.chain.n_joints == len(page.node.get('start_pose')) == 6
    assert 'link_1 to tool0' in page.text()
    page.set(base_link='', start_pose='none')
    assert page.widget('Arm', 'base').value == 'automatic'
    assert 'example' not in page.widget('Solver', 'solver').options
    assert 'analytic' in page.widget('Solver', 'solver').options


def test_a_link_that_the_node_refuses_is_taken_back_with_the_reason(page):
    page.node.refusal = 'it is busy'
    page.choose('Arm', 'tip', value='link_2')
    assert page.told == ['tip_link: it is busy']
    assert page.widget('Arm', 'tip').value == 'automatic'


def test_the_links_are_those_of_the_present_robot(page):
    page.choose('robot', value='planar_3r')
    assert 'link_3' in page.widget('Arm', 'tip').options
    assert 'link_5' not in page.widget('Arm', 'tip').options


def test_the_tool_that_is_typed_is_the_nodes_and_the_nodes_is_shown(page):
    field, tip = page.widget('Arm', 'tool'), page.robot_view.pose('tool0')
    assert field.value == '0 0 0 0 0 0'
    page.type('Arm', 'tool', value='0, 0 0.1 0 0 1.5')
    assert page.node.get('tool') == [0.0, 0.0, 0.1, 0.0, 0.0, 1.5]
    tool = pose_from_rpy((0.0, 0.0, 0.1), (0.0, 0.0, 1.5))
    assert page.robot_view.target_pose(ARM_GOAL) == pytest.approx(tip @ tool, abs=1e-9)
    page.set(tool=[0.0, 0.0, 0.2, 0.0, 0.0, 0.0])
    assert field.value == '0 0 0.2 0 0 0'
    page.choose('robot', value='planar_3r')
    assert page.node.get('tool') == [0.0] * 6


@pytest.mark.parametrize(('text', 'reason'), [
    ('0 0 x 0 0 0', "tool must be a number, not 'x'"), ('0 0 0.1', 'tool must have 6 entries')])
def test_a_tool_that_is_no_pose_is_refused_with_the_reason(page, text, reason):
    page.type('Arm', 'tool', value=text)
    assert reason in page.told[-1]
    assert page.widget('Arm', 'tool').value == '0 0 0 0 0 0'
