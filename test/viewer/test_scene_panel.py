import io
import json

import numpy as np
import pytest
from PIL import Image

from harness.page_here import load, page_with, save, while_painting
from ik_node.spatial import pose_from_rpy
from ik_node.support.exceptions import InputError
from ik_node.viewer import scene_panel
from ik_node.viewer.gallery import robots as gallery
from ik_node.viewer.saved_scene import SavedScene, read_scene, scene_text

TURNED = np.array([[0.0, -1.0, 0.0, 0.3], [1.0, 0.0, 0.0, -0.2], [0.0, 0.0, 1.0, 0.5],
                   [0.0, 0.0, 0.0, 1.0]])
SCENE = SavedScene('<robot name="r"/>', ('a', 'b'), {'solver': 'ccd', 'root_pose': [0.0, 1.0]},
              {'j': 0.25}, {'left': TURNED}, ((1.0, 2.0, 3.0), (0.0, 0.0, 0.5)))


def content(**changed):
    """Return the content of a file with other entries; ... leaves one out."""
    values = {**json.loads(scene_text(SCENE)), **changed}
    return json.dumps({name: value for name, value in values.items() if value is not ...}).encode()


def test_a_file_holds_the_whole_scene():
    scene = read_scene(scene_text(SCENE).encode())
    assert scene.goals.keys() == {'left'}
    assert scene.goals['left'] == pytest.approx(TURNED, abs=1e-12)
    assert scene._replace(goals={}) == SCENE._replace(goals={})


@pytest.mark.parametrize(('bad', 'words'), [
    (b'\xff\xfe\x00', 'it is not JSON'), (b'[' * 100000, 'it is not JSON'),
    (b'{}', 'no "format"'), (content(version=2), 'version 2'),
    (content(robot=...), "has no 'robot'"), (content(robot=3), '3 is not text'),
    (content(links=['a']), 'malformed'), (content(joints={'j': 'x'}), "numbers, not 'x'"),
    (content(joints=[1]), 'malformed'),
    (content(camera=[[1, 2], [1, 2, 3]]), 'the camera must have the shape'),
    (content(goals={'g': {'position': [0, 0, 0], 'orientation': [0, 0, 0, 0]}}), 'is zero'),
    (content(goals={'g': {'position': [0, 0, 0]}}), "no 'orientation'"),
    (content(parameters={'a': {'b': 1}}), 'a parameter cannot be'),
    (b' ' * (9 * 2**20), 'at most 8 MiB')])
def test_what_is_no_scene_is_refused_with_the_reason(bad, words):
    with pytest.raises(InputError, match=words):
        read_scene(bad)


def test_parameters_that_name_files_are_neither_saved_nor_taken():
    names = ('model_path', 'urdf_path', 'poses', 'xacro_args', 'example.examples',
             'left.example.examples', 'trajectory_topic', 'left.output', 'state_topic',
             'use_sim_time')
    scene = read_scene(content(parameters={**dict.fromkeys(names, '/etc/passwd'), 'speed': 0.5}))
    assert scene.parameters == {'speed': 0.5}


def dragged(page, T, task=''):
    page.drag(T, task)
    return T


@pytest.mark.parametrize('name', [
    name for name in gallery() if name.startswith(('panda (ex', 'irb140'))] or ['scara'])
def test_a_robot_with_meshes_and_obstacles_that_it_avoids_comes_back_on_a_fresh_page(page, name):
    page.choose('robot', value=name)
    page.choose('Obstacles', 'add', value='box')
    page.choose('Obstacles', 'avoid collisions', value=True)
    T, text, q = page.handle().T, save(page), page.q()
    with page_with('arm_6r') as fresh:
        load(fresh, text)
        assert fresh.told == fresh.robot_view.problems == []
        assert fresh.q() == pytest.approx(q, abs=1e-9)
        assert fresh.handle().T == pytest.approx(T, abs=1e-9)
        assert fresh.widget('robot').value == name
        assert fresh.node.get('dls.avoid_collisions')
        assert len(fresh.node.robot.world.obstacles) == 1
        for step, robot in (('Undo', 'arm_6r'), ('Redo', name)):
            while_painting(fresh, fresh.view._on_step, step)
            assert fresh.widget('robot').value == robot
            assert len(fresh.node.robot.world.obstacles) == (step == 'Redo')


def test_an_arm_its_solver_its_goal_and_the_view_come_back(page, monkeypatch):
    page.set(solver='ccd', ccd__order='outward', speed=0.5)
    T = dragged(page, page.robot_view.chain.forward(np.full(6, 0.3)))
    q = page.q()
    page.browser.camera.position, page.browser.camera.look_at = np.ones(3), np.zeros(3)
    text = save(page)
    saved = read_scene(text)
    assert saved.goals[''] == pytest.approx(T, abs=1e-9)
    assert 'model_path' not in saved.parameters

    page.node.set(solver='dls', speed=1.0)
    page.choose('robot', value='scara')
    page.browser.camera.position = np.full(3, 2.0)
    report = page.node.report
    monkeypatch.setattr(page.node, 'report', lambda *told, **values: report(
        *told, **{**values, 'motion_duration': '60.0'}))  # the scene ends this motion
    load(page, text)
    assert page.told == []
    assert [page.node.get(name) for name in ('solver', 'ccd.order', 'speed')] == [
        'ccd', 'outward', 0.5]
    assert page.widget('robot').value == 'arm_6r'  # again an entry of the gallery
    assert page.robot_view.tree.name == 'arm_6r'
    assert page.q() == pytest.approx(q, abs=1e-9)
    assert page.handle().T == pytest.approx(T, abs=1e-9)
    assert 'reached' in page.text()
    assert page.browser.camera.position == pytest.approx(np.ones(3))


def test_a_picture_is_what_the_browser_shows(page):
    wanted = np.random.default_rng(0).integers(0, 256, (6, 8, 3), dtype=np.uint8)
    page.browser.pictures = lambda: wanted
    page.press('Scene', 'Save a picture')
    (name, content), = page.browser.downloads
    assert name == 'ik_view.png'
    assert np.asarray(Image.open(io.BytesIO(content))) == pytest.approx(wanted)


def test_the_path_comes_back(page):
    older = json.loads(save(page))
    assert older.pop('waypoints') == []
    poses = [page.robot_view.chain.forward(np.full(6, value)) for value in (0.1, 0.3)]
    for T in poses:
        dragged(page, T)
        page.press('Path', 'Set a waypoint')
    text = save(page)
    load(page, json.dumps(older).encode())
    assert page.view.page.waypoints == []
    page.choose('robot', value='scara')
    load(page, text)
    assert page.told == []
    assert page.view.page.waypoints == pytest.approx(np.array(poses), abs=1e-9)


def test_the_path_of_another_tip_comes_back_and_its_goal_is_sent_though_drags_draw(page):
    page.set(tip_link='link_5')
    T = dragged(page, page.robot_view.chain.forward(np.full(5, 0.3)))
    page.press('Path', 'Set a waypoint')
    text = save(page)
    page.set(tip_link='tool0')
    assert page.view.page.waypoints == []
    page.choose('Path', 'draw while dragging', value=True)
    load(page, text)
    assert page.told == []
    assert page.view.page.waypoints == [pytest.approx(T, abs=1e-9)]
    assert page.handle().T == pytest.approx(T, abs=1e-9)


def test_a_scene_is_refused_while_the_robot_is_stopped(page):
    dragged(page, page.robot_view.chain.forward(np.full(6, 0.3)))
    text = save(page)
    page.choose('robot', value='scara')
    page.press('Stop')
    sent = list(page.node.sent)
    load(page, text)
    assert page.told == ['scene.json is not loaded: the robot is stopped; press Continue first']
    assert page.node.sent == sent
    assert page.robot_view.tree.name == 'scara'


def test_goals_without_orientation_come_back_as_such(page):
    older = json.loads(save(page))
    assert older.pop('position_only') is False
    page.choose('Goal', 'position only', value=True)
    dragged(page, page.robot_view.chain.forward(np.full(6, 0.3)))
    text = save(page)
    for wanted, content in ((False, json.dumps(older).encode()), (True, text)):
        load(page, content)
        assert page.widget('Goal', 'position only').value is wanted
    assert page.node.sent[-2][0] == 'goal'
    assert page.node.sent[-2][3]  # as a point
    assert page.told == []


def test_a_goal_that_the_robot_has_not_met_yet_is_not_solved_again(page, monkeypatch):
    page.settle()
    dragged(page, page.robot_view.chain.forward(np.full(6, 0.3)))
    q = dict.fromkeys(page.robot_view.chain.joint_names, 0.2)
    page.choose('Obstacles', 'avoid collisions', value=True)
    page.choose('Obstacles', 'add', value='ground')
    scene = read_scene(save(page))._replace(joints=q)
    page.node.set(solver='auto')
    page.choose('Obstacles', 'delete', value='all')
    page.settle()
    draw = page.view._draw
    with monkeypatch.context() as late:  # the painter is slow
        late.setattr(page.view, '_draw', lambda has_tables: draw(has_tables=False))
        load(page, scene_text(scene).encode())
    page.settle()
    assert page.q() == pytest.approx(np.full(6, 0.2), abs=1e-9)


def test_a_figure_and_the_targets_of_its_tasks_come_back(page):
    page.robot_view.load({**gallery()['humanoid'], 'solver': 'least_squares', 'root': 'floating',
                          'tasks': ['hand', 'foot', 'gaze']})
    page.node.set(hand__type='pose', hand__link='right_palm')
    page.node.set(foot__type='orientation', foot__link='right_sole')
    page.set(gaze__type='look_at', gaze__link='gaze', gaze__axis=[1.0, 0.0, 0.0])
    T = page.handle('hand').T.copy()
    T[:3, 3] += (0.3, 0.0, -0.3)  # the root follows
    dragged(page, T, 'hand')
    view = page.robot_view
    targets = {target.name: view.target_pose(target) for target in view.targets}
    q, T_world_root = page.q(), view.T_world_root.copy()
    text = save(page)
    view.load({**gallery()['arm_6r'], 'solver': 'dls', 'tasks': 'none', 'root': 'fixed'})
    page.settle()
    assert page.handle('hand') is None
    load(page, text)
    page.settle()
    assert page.told == []
    assert [page.node.get(name) for name in ('hand.link', 'root')] == ['right_palm', 'floating']
    assert page.q() == pytest.approx(q, abs=1e-9)
    assert view.T_world_root == pytest.approx(T_world_root, abs=1e-9)
    assert len(view.targets) == 3
    for target in view.targets:
        found, expected = view.target_pose(target), targets[target.name]
        part = (slice(3), 3 if target.is_point else slice(3) if (
            target.kind == 'orientation') else slice(4))
        assert found[part] == pytest.approx(expected[part], abs=1e-9), target.name
    assert page.handle('hand').T == pytest.approx(T, abs=1e-9)


@pytest.mark.parametrize(('spoil', 'reason'), [
    (lambda scene: scene._replace(joints={'joint_1': 0.0}), "has no value of joint 'joint_2'"),
    (lambda scene: scene._replace(parameters={'solver': 'x'}), 'solver must be one of'),
    (lambda scene: scene._replace(goals={'hand': np.eye(4)}), "there is no handle of 'hand'"),
    (lambda scene: scene._replace(robot='<robot name="r"/>'), '')],
    ids=['joints', 'parameters', 'goals', 'robot'])
def test_a_scene_that_cannot_be_shown_is_refused_with_the_reason(page, monkeypatch, spoil, reason):
    monkeypatch.setattr(scene_panel, '_PATIENCE', 0.5)
    scene = read_scene(save(page))
    load(page, scene_text(spoil(scene)).encode())
    assert len(page.told) == 1
    assert page.told[0].startswith('scene.json is not loaded: ')
    assert reason in page.told[0]
    load(page, b'no scene')
    assert 'it is not JSON' in page.told[1]


@pytest.mark.parametrize('root', ['planar', 'floating'])
def test_a_goal_relative_to_a_link_and_the_root_come_back_wherever_the_robot_was(page, root):
    page.robot_view.load({**gallery()['humanoid'], 'solver': 'least_squares', 'tasks': ['hand'],
                          'root': root})
    page.set(hand__type='relative_pose', hand__link='right_palm', hand__reference='left_palm')
    T = page.handle('hand').T.copy()
    T[:3, 3] += (0.05, 0.03, -0.04)
    dragged(page, T, 'hand')
    page.robot_view.go_to(dict.fromkeys(page.robot_view.space.joint_names[-6:], 0.1),
                          T_world_root=pose_from_rpy((0.3, -0.2, 0.0), (0.0, 0.0, 2.0)))
    page.settle()
    q, root_pose, goal = page.q(), page.node.robot.T_world_root.copy(), page.handle('hand').T
    assert root_pose[:2, 3] == pytest.approx((0.3, -0.2))
    text = save(page)
    page.robot_view.go_home()
    page.settle()
    before = len(page.node.sent)
    load(page, text)
    assert page.told == []
    assert 'reset' not in page.node.sent[before:]  # a motion home would not be awaited
    assert page.q() == pytest.approx(q, abs=1e-9)
    assert page.node.robot.T_world_root == pytest.approx(root_pose, abs=1e-9)
    assert page.handle('hand').T == pytest.approx(goal, abs=1e-9)
