"""The view of a node whose solver moves the whole body: with the goal of a tip, and with tasks."""

import contextlib

import numpy as np
import pytest

import robots
from browser import until, view_of
from ik_node import KinematicTree
from ros_harness import running

SOLVERS = ('genetic', 'optimization', 'hierarchy', 'lagrange', 'least_squares')


class Shown:
    """A node, and a view of it without a browser."""

    def __init__(self, node, view, robot_view):
        self.node, self.view, self.robot_view = node, view, robot_view

    def handle(self, name=''):
        """Return the handle of a task, '' for the goal of the tip, once it is there."""
        assert until(lambda: self.view._handles.named(name) is not None)
        return self.view._handles.named(name)

    def meets(self, link, T, position_only=False):
        """Wait until a link is at a pose; return whether it came."""
        shape = (slice(0, 3), 3) if position_only else slice(None)
        return until(lambda: np.allclose(self.robot_view.pose(link)[shape], T[shape], atol=1e-4))

    def hidden(self):
        """Return which parts of the page are hidden."""
        view = self.view
        return {name for name, part in (('path', view._path_folder), (
            'workspace', view._workspace_folder), ('position only', view._only))
            if not part.visible}


@contextlib.contextmanager
def shown_by(node):
    """Show a node."""
    with view_of(node._domain.id) as (_, view, (robot_view,)):
        assert until(lambda: robot_view.is_placed and view._solvers[0] is not None)
        yield Shown(node, view, robot_view)


def test_the_goal_of_a_tip_stays_the_goal_when_a_solver_of_the_body_is_chosen_and_tasks_follow():
    tip = KinematicTree.from_urdf(robots.OWN / 'arm_7r.urdf').chain().tip_link
    with running(urdf_path=robots.OWN / 'arm_7r.urdf') as node, shown_by(node) as shown:
        arm = shown.handle()
        assert shown.hidden() == set()
        assert node.set(solver='least_squares') == (True, '')
        node.compiled()
        assert until(lambda: shown.hidden() == {'path'})
        assert shown.handle() is arm
        assert until(lambda: not shown.view._joints.is_outdated)
        assert len(shown.view._joints._sliders) == 7
        shown.robot_view.go_to([0.1, 0.4, 0.1, 0.8, 0.1, 0.5, 0.1])
        assert until(lambda: shown.robot_view.values['joint_2'] == pytest.approx(0.4))
        goal = shown.robot_view.pose(tip).copy()
        goal[:3, 3] += [0.05, 0.02, -0.05]
        shown.view.drag_to(goal)
        assert shown.meets(tip, goal)
        assert until(lambda: shown.robot_view.state.line.text == 'the goal is met')

        assert node.set(tasks=['hand']) == (True, '')
        assert node.set(hand__link=tip, hand__type='position') == (True, '')
        goal[:3, 3] += [0.0, -0.1, 0.0]
        hand = shown.handle('hand')
        assert until(lambda: shown.view._handles.named('') is None)
        assert shown.hidden() == {'path', 'workspace', 'position only'}
        assert until(lambda: shown.view._solvers[0]._shown['solver'].options == SOLVERS)
        hand.drag_to(goal)
        assert shown.meets(tip, goal, position_only=True)
        assert until(lambda: shown.robot_view.state.line.text == 'hand: the goal is met')
        assert node.set(tasks='none') == (True, '')
        assert node.set(solver='dls') == (True, '')
        assert until(lambda: shown.view._handles.named('hand') is None and shown.hidden() == set())
        assert until(lambda: np.allclose(shown.handle().T, shown.robot_view.pose(tip), atol=1e-4))


def test_goals_of_a_tip_are_in_the_world_where_the_root_moves():
    with (running(urdf_path=robots.OWN / 'arm_7r.urdf', solver='least_squares', root='planar',
                  root_pose='[1.0, 0.5, 0.0, 0.0, 0.0, 1.0]') as node, shown_by(node) as shown):
        tip, base = shown.robot_view.chain.tip_link, shown.robot_view.tree.root
        assert shown.robot_view.pose(base)[:2, 3] == pytest.approx([1.0, 0.5], abs=1e-6)
        node.compiled()
        assert until(lambda: np.allclose(shown.handle().T, shown.robot_view.pose(tip), atol=1e-4))
        goal = shown.handle().T.copy()
        goal[:3, 3] += [2.0, 0.1, -0.1]
        shown.view.drag_to(goal)
        assert shown.meets(tip, goal), node.log()
        last = shown.handle()
        assert node.set(base_link=base) == (True, '')
        assert until(lambda: shown.view._handles.named('') not in (None, last))  # of another chain
        goal[:3, 3] -= [1.0, 0.0, 0.0]
        shown.view.drag_to(goal)
        assert shown.meets(tip, goal), node.log()


def test_the_handle_of_a_relative_pose_moves_with_its_reference():
    hands = {'left__type': 'pose', 'left__link': 'left_tool0', 'tray__type': 'relative_pose',
             'tray__link': 'right_tool0', 'tray__reference': 'left_tool0'}
    with (running(urdf_path=robots.OWN / 'torso.urdf', solver='least_squares', tasks='[left, tray]',
                  **hands) as node, shown_by(node) as shown):
        node.compiled()
        tray, pose = shown.handle('tray'), shown.robot_view.pose
        assert tray.T == pytest.approx(pose('right_tool0'), abs=1e-4)
        goal = tray.T.copy()
        goal[:3, 3] += [0.03, 0.0, 0.03]
        shown.view.drag_to(goal, 'tray')
        assert shown.meets('right_tool0', goal), node.log()
        T_left_right = np.linalg.inv(pose('left_tool0')) @ pose('right_tool0')
        moved = shown.handle('left').T.copy()
        moved[:3, 3] += [0.0, 0.0, 0.04]
        shown.view.drag_to(moved, 'left')
        assert shown.meets('left_tool0', moved), node.log()
        assert shown.meets('right_tool0', moved @ T_left_right)
        assert until(lambda: np.allclose(tray.T, moved @ T_left_right, atol=1e-4))
