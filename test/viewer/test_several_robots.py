import numpy as np
import pytest

import robots
from harness.fake_node import FakeNode
from harness.page_here import FakePlayer, moved, page_of, page_with
from ik_node import Goal, KinematicTree, make_solver
from ik_node.spatial import inverse, pose_from_rpy

CHAIN = KinematicTree.from_urdf(robots.OWN / 'arm_6r.urdf').chain()
MET, NO_GOAL = 'reached', 'no goal yet'


def test_a_goal_goes_to_all_that_are_compared_side_by_side():
    nodes = [FakeNode(model_path=str(robots.OWN / 'arm_6r.urdf'), solver=solver)
             for solver in ('dls', 'ccd')]
    with page_of(*nodes, names=['dls', 'ccd']) as page:
        T = moved(page)
        page.drag(T)
        for node, robot_view in zip(nodes, page.robot_views):
            assert node.sent[-1][2] == pytest.approx(T)
            assert robot_view.pose('tool0') == pytest.approx(T, abs=1e-4)
            assert f'● reached {robot_view.name}' in ' '.join(page.text().split())
        places = [robot_view.frame.position for robot_view in page.robot_views]
        assert places[1][1] - places[0][1] > page.robot_view.reach
        assert page.shows('Solver: ccd')
        page.press('Goal', 'Home')
        assert [node.sent[-1] for node in nodes] == ['reset', 'reset']
        page.choose('robot', value='arm_7r')
        assert [robot_view.tree.name for robot_view in page.robot_views] == ['arm_7r'] * 2


def test_each_of_those_compared_goes_back_to_where_it_was_itself():
    nodes = [FakeNode(model_path=str(robots.OWN / 'arm_6r.urdf')) for _ in 'ab']
    with page_of(*nodes, names=['a', 'b']) as page:
        for node, value in zip(nodes, (0.1, 0.2)):
            node.stand(np.full(6, value))
        page.settle()
        page.drag(moved(page))
        page.undo()
        assert [list(robot_view.values.values()) for robot_view in page.robot_views] == [
            pytest.approx(6 * [value]) for value in (0.1, 0.2)]


def test_one_of_several_arms_has_its_own_goals_and_parameters():
    file = str(robots.OWN / 'torso.urdf')
    node = FakeNode(arms=('left', 'right'), model_path=file, left__tip_link='left_tool0',
                    left__base_link='torso_link', right__tip_link='right_tool0',
                    right__base_link='torso_link')
    with page_of(node, arm='left') as page:
        T = page.handle().T.copy()
        T[2, 3] += 0.02
        page.drag(T)
        assert page.node.sent[-1][1] == 'left'
        assert page.robot_view.pose('left_tool0') == pytest.approx(T, abs=1e-4)
        assert '/left/goal_pose' in page.command()
        node.report(0, 'of the other arm', arm='right')
        page.settle()
        assert 'of the other arm' not in page.text()
        page.choose('Solver', 'left.solver', value='ccd')
        assert (node.get('left.solver'), node.get('right.solver')) == ('ccd', 'dls')


def test_the_steps_of_one_of_several_arms_have_the_options_of_the_node():
    node = FakeNode(arms=('left', 'right'), model_path=str(robots.OWN / 'torso.urdf'),
                    left__tip_link='left_tool0', left__base_link='torso_link',
                    right__tip_link='right_tool0', right__base_link='torso_link',
                    dls__damping=2.0)
    with page_of(node, arm='left') as page:
        page.drag(moved(page))
        arm, q = page.robot_view.chain, np.full(page.robot_view.chain.n_joints, 0.1)
        node.stand(dict(zip(arm.joint_names, q)))
        page.choose('Steps', 'show steps', value=True)
        goal = Goal.from_pose(inverse(page.robot_view.target_frame()) @ page.handle().T)
        step = make_solver('dls', arm, damping=2.0).step(goal, q)
        page.choose('Steps', 'one step', value='dls')
        assert page.q() == pytest.approx(np.clip(q + step, arm.lower, arm.upper), abs=1e-9)


def test_a_page_for_none_of_several_arms_names_them_and_shows_the_robot():
    node = FakeNode(arms=('left', 'right'), model_path=str(robots.OWN / 'torso.urdf'),
                    left__tip_link='left_tool0', right__tip_link='right_tool0')
    with page_of(node) as page:  # which settles: nothing is fetched again and again
        assert 'several arms; choose one of left, right with --arm' in page.text()
        assert page.told == []
        node.stand({'lift_joint': 0.2})
        page.settle()
        assert page.robot_view.values['lift_joint'] == 0.2
        assert page.robot_view.pose('left_tool0') == pytest.approx(
            page.robot_view.tree.forward(page.robot_view.values)['left_tool0'])


def test_a_motion_is_shown_without_a_node_and_without_its_panels():
    node, player = FakeNode(), FakePlayer()
    node.responds = False
    with page_of(node, player=player) as page:
        assert not page.shows('Playback')
        player.show()
        page.robot_view.on_description((robots.OWN / 'arm_6r.urdf').read_text())
        page.robot_view.on_joints(dict.fromkeys(CHAIN.joint_names, 0.1))
        page.settle()
        for name in ('Goal', 'Solver', 'Joints', 'Workspace', 'Path', 'robot'):
            assert not page.shows(name), name
        assert page.shows('Playback', 'time, s')
        assert 'waiting for the node' not in page.text()
        assert '● ik_play' in page.text()
        assert 'arm_6r, 6 joints' in page.text()
        assert page.handle() is None
        assert page.robot_view.pose('tool0') == pytest.approx(
            CHAIN.forward(np.full(6, 0.1)), abs=1e-6)


def test_a_figure_of_tasks_has_a_handle_for_each_that_can_be_moved():
    tasks = ('left', 'right', 'look', 'balance')
    with page_with('humanoid', solver='least_squares', tasks=list(tasks), root='floating',
                   left__link='left_palm', left__type='pose', right__link='right_palm',
                   right__type='position', look__link='gaze', look__type='look_at',
                   look__axis=[1.0, 0.0, 0.0], balance__type='center_of_mass',
                   balance__polygon=[0.12, -0.16, 0.12, 0.16, -0.08, 0.16, -0.08, -0.16],
                   root_pose=[0.0, 0.0, 0.97, 0.0, 0.0, 0.0]) as page:
        assert [name for name in tasks if page.handle(name)] == ['left', 'right', 'look']
        root = pose_from_rpy((0.0, 0.0, 0.97), (0.0, 0.0, 0.0))
        links = {name: root @ T for name, T in page.robot_view.tree.forward({}).items()}
        assert page.handle('left').T == pytest.approx(links['left_palm'], abs=1e-5)
        ahead = links['gaze'][:3, 3] + links['gaze'][:3, 0]
        assert page.handle('look').T[:3, 3] == pytest.approx(ahead, abs=1e-5)
        for name in ('Path', 'Workspace', 'position only', 'Branches', 'Steps', 'Null space'):
            assert not page.shows(name), name

        T = page.handle('left').T.copy()
        T[2, 3] += 0.02
        page.drag(T, 'left')
        assert page.node.sent[-1][1] == 'left'
        assert page.robot_view.pose('left_palm') == pytest.approx(T, abs=1e-4)
        assert f'left: {MET}' in page.text()
        T[2, 3] += 3.0
        page.drag(T, 'left')
        assert page.robot_view.status.color == '#d0342c'
        assert 'left: ' in page.text()
        page.press('Goal', 'Home')
        assert page.handle('left').T == pytest.approx(links['left_palm'], abs=1e-5)
        assert NO_GOAL in page.text()

        page.set(tasks=[*tasks, 'hips'], hips__link='pelvis', hips__type='position')
        assert page.handle('hips').T[:3, 3] == pytest.approx([0.0, 0.0, 0.97], abs=1e-5)
        page.set(tasks=list(tasks))
        assert page.handle('hips') is None
        assert not page.drawn('/ik_node/tasks/hips')
