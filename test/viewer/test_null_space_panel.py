import re
from types import SimpleNamespace

import numpy as np
import pytest

import robots
from harness.page_here import page_with, panel_of
from ik_node import KinematicTree
from ik_node.solvers.arm.self_motion import self_motion
from ik_node.viewer import null_space_panel
from ik_node.viewer.null_space_panel import NullSpacePanel

CHAIN = KinematicTree.from_urdf(robots.OWN / 'arm_7r.urdf').chain()
BENT = [0.3, 0.6, -0.4, 1.2, 0.2, -0.7, 0.4]


@pytest.fixture
def page():
    with page_with('arm_7r', start_pose=BENT) as made:
        yield made


def limits():
    """Return the joints that end the self-motion, and whether at their lower or upper limits."""
    found = []
    for q in self_motion(CHAIN, BENT).configurations[[0, -1]]:
        gaps = np.stack([q - CHAIN.lower, CHAIN.upper - q])
        side, k = np.unravel_index(gaps.argmin(), gaps.shape)
        found.append((CHAIN.joint_names[k], ('lower', 'upper')[side]))
    return found


def curves(page):
    return page.drawn('/ik_node/self_motion/')


def show(page):
    page.choose('Null space', 'show the self-motion', value=True)


def test_the_curves_of_the_joints_and_where_they_end(page):
    assert page.text('Null space').strip() == ''
    assert not page.shows('Null space', 'place')
    show(page)
    assert 'of joint motion, from joint_' in page.text('Null space')
    assert re.findall(r'(joint_\d) at its (lower|upper) limit', page.text('Null space')) == (
        limits())
    # The elbow, two axes next to it, and nothing of shoulder, wrist and tip.
    assert 0 < len(curves(page)) < CHAIN.n_joints
    assert page.q() == pytest.approx(BENT)
    page.choose('Null space', 'show the self-motion', value=False)
    assert not curves(page)
    assert page.text('Null space').strip() == ''


def test_the_arm_goes_along_it_and_its_tip_stays(page):
    show(page)
    drawn, reached = list(curves(page)), self_motion(CHAIN, BENT).configurations
    for part, expected in ((0.0, reached[0]), (60.0, None), (100.0, reached[-1])):
        before = page.q()
        page.choose('Null space', 'place', value=part)
        assert np.abs(page.q() - before).max() > 0.1
        assert CHAIN.forward(page.q()) == pytest.approx(CHAIN.forward(BENT), abs=1e-6)
        if expected is not None:
            assert page.q() == pytest.approx(expected, abs=1e-6)
    assert list(curves(page)) == drawn  # the same motion
    page.undo()  # moves of the slider that follow each other are one step
    page.settle()
    assert page.q() == pytest.approx(BENT)
    page.node.refusal = 'it is busy'
    page.choose('Null space', 'place', value=50.0)
    assert page.told == ['it is busy']


def test_another_goal_has_another_self_motion(page):
    show(page)
    before = {name: curve.points.copy() for name, curve in curves(page).items()}
    page.stand(np.array(BENT) + 0.2)
    assert curves(page)
    for name, curve in curves(page).items():
        assert not (name in before and np.array_equal(curve.points, before[name]))


def test_a_joint_that_is_chosen_begins_it(page):
    show(page)
    page.choose('Null space', 'joint', value='joint_3')
    motion = panel_of(page.view, 'Null space')._motion
    assert motion.configurations[motion.start + 1][2] > motion.configurations[motion.start][2]


def test_an_arm_with_as_many_joints_as_its_goal_asks_for_has_none(page):
    show(page)
    page.choose('robot', value='arm_6r')
    page.stand(np.full(6, 0.3))
    assert not page.shows('Null space')
    assert not curves(page)
    page.choose('Goal', 'position only', value=True)  # which leaves three more
    assert 'Closed: the joints come back' in page.text('Null space')  # the last one turns round
    assert not curves(page)
    page.choose('Null space', 'joint', value='joint_2')
    assert curves(page)
    assert page.widget('Null space', 'joint').options == (
        'the one that moves most', *page.robot_view.chain.joint_names)
    page.choose('Goal', 'position only', value=False)
    assert not page.shows('Null space')


def test_a_singular_configuration_is_reported():
    text = null_space_panel._description(CHAIN, self_motion(CHAIN, np.zeros(7)))
    assert text == ('The arm is in a singular configuration: its self-motion is not unique here.')


def test_curves_are_where_the_arm_is_when_the_joints_below_its_base_have_moved():
    tree = KinematicTree.from_urdf(robots.OWN / 'torso.urdf')
    arm = tree.chain('torso_link', 'left_tool0')
    below = {'lift_joint': 0.2, 'waist_joint': 0.7}
    panel = NullSpacePanel.__new__(NullSpacePanel)
    panel._robot_view = SimpleNamespace(tree=tree, pose=tree.forward(below).__getitem__)
    q = np.clip(BENT, arm.lower, arm.upper)
    paths = panel._paths(arm, np.array([q, q]))
    poses = tree.forward(below | dict(zip(arm.joint_names, q)))
    for name, path in zip(arm.joint_names, paths):
        assert path[0] == pytest.approx(poses[tree.joints[name].child][:3, 3], abs=1e-9)
