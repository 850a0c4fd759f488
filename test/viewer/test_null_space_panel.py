"""The self-motion of an arm on the page: when it is offered, what it says, and the arm on it."""

import re
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='ROS 2 is not installed (make test brings it from PyPI)')

import robots
from browser import until, user_chooses, view_of
from ik_node import KinematicTree
from ik_node.motion.self_motion import self_motion
from ik_node.viewer import null_space_panel
from ik_node.viewer.null_space_panel import NullSpacePanel
from ros_harness import running

CHAIN = KinematicTree.from_urdf(robots.OWN / 'arm_7r.urdf').chain()
BENT = [0.3, 0.6, -0.4, 1.2, 0.2, -0.7, 0.4]


@pytest.fixture(scope='module')
def seen():
    with (running(urdf_path=robots.OWN / 'arm_7r.urdf', start_pose=str(BENT)) as node,
          view_of(node._domain.id) as (server, view, (robot_view,))):
        assert until(lambda: robot_view.is_placed and view._null_space._folder.visible)
        yield node, server, view, robot_view


def values(robot_view):
    return np.array([robot_view.values[name] for name in CHAIN.joint_names])


def limits():
    """Return the joints that end the self-motion, and whether at their lower or upper limits."""
    found = []
    for q in self_motion(CHAIN, BENT).configurations[[0, -1]]:
        gaps = np.stack([q - CHAIN.lower, CHAIN.upper - q])
        side, k = np.unravel_index(gaps.argmin(), gaps.shape)
        found.append((CHAIN.joint_names[k], ('lower', 'upper')[side]))
    return found


def curves(server):
    return [name for name in server.scene._handle_from_node_name if '/self_motion/' in name]


def test_nothing_is_drawn_until_it_is_asked_for(seen):
    _, server, view, _ = seen
    assert view._null_space._text.content == ''
    assert not curves(server)
    assert not view._null_space._place.visible


def test_the_curves_of_the_joints_and_where_they_end(seen):
    _, server, view, robot_view = seen
    panel = view._null_space
    panel._shown.value = True
    assert until(lambda: 'of joint motion, from joint_' in panel._text.content)
    assert re.findall(r'(joint_\d) at its (lower|upper) limit', panel._text.content) == limits()
    # The elbow, two axes next to it, and nothing of shoulder, wrist and tip.
    assert 0 < len(curves(server)) < CHAIN.n_joints
    assert values(robot_view) == pytest.approx(BENT)
    panel._shown.value = False
    assert until(lambda: not curves(server) and panel._text.content == '')
    panel._shown.value = True


def test_the_arm_goes_along_it_and_its_tip_stays(seen):
    _, server, view, robot_view = seen
    panel = view._null_space
    assert until(lambda: panel._place.visible and 'of joint motion' in panel._text.content)
    drawn = curves(server)
    assert drawn
    for part in (0.0, 60.0, 100.0):
        before = values(robot_view)
        user_chooses(panel._place, part)
        assert until(lambda before=before: np.abs(values(robot_view) - before).max() > 0.1)
        assert CHAIN.forward(values(robot_view)) == pytest.approx(CHAIN.forward(BENT), abs=1e-6)
    reached = panel._motion.configurations[-1]
    assert until(lambda: np.abs(values(robot_view) - reached).max() < 1e-6)
    assert curves(server) == drawn  # the same motion


def test_another_goal_has_another_self_motion(seen):
    node, server, view, _ = seen
    panel, last = view._null_space, view._null_space._motion
    assert node.client.send(CHAIN.forward(np.array(BENT) + 0.2)).met
    assert until(lambda: panel._motion is not None and panel._motion is not last)
    assert until(lambda: curves(server))


def test_a_joint_that_is_chosen_begins_it(seen):
    _, _, view, _ = seen
    panel, last = view._null_space, view._null_space._motion
    user_chooses(panel._joint, 'joint_3')
    assert until(lambda: panel._motion is not None and panel._motion is not last)
    motion = panel._motion
    assert motion.configurations[motion.start + 1][2] > motion.configurations[motion.start][2]


def test_an_arm_with_as_many_joints_as_its_goal_asks_for_has_none(seen):
    node, server, view, robot_view = seen
    assert node.set(model_path=str(robots.OWN / 'arm_6r.urdf'), urdf_path='', start_pose='none')[0]
    folder = view._null_space._folder
    assert until(lambda: robot_view.chain is not None and robot_view.chain.n_joints == 6
                 and not folder.visible)
    assert until(lambda: not curves(server))
    view._only.value = True  # without an orientation it has three more
    assert until(lambda: folder.visible and curves(server))
    assert view._null_space._joint.options == (
        'the one that moves most', *robot_view.chain.joint_names)
    view._only.value = False
    assert until(lambda: not folder.visible)


def test_in_a_singular_configuration_that_is_told():
    words = null_space_panel._words(CHAIN, self_motion(CHAIN, np.zeros(7)))
    assert words == ('The arm is in a singular configuration: its self-motion is not unique here.')


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
