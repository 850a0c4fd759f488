"""Scenes in files: what is saved comes back, and what is no scene is refused."""

import json

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='ROS 2 is not installed (make test brings it from PyPI)')

import robots
from browser import until, view_of
from ik_node.exceptions import InputError
from ik_node.viewer.scene_file import Scene, read_scene, scene_text
from ros_harness import running

TURNED = np.array([[0.0, -1.0, 0.0, 0.3], [1.0, 0.0, 0.0, -0.2], [0.0, 0.0, 1.0, 0.5],
                   [0.0, 0.0, 0.0, 1.0]])
SCENE = Scene('<robot name="r"/>', ('a', 'b'), {'solver': 'ccd', 'root_pose': [0.0, 1.0]},
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
    (content(links=['a']), 'malformed'), (content(joints={'j': 'x'}), 'not a finite number'),
    (content(joints=[1]), 'malformed'), (content(camera=[[1, 2], [1, 2, 3]]), 'list of 3 numbers'),
    (content(goals={'g': {'position': [0, 0, 0], 'orientation': [0, 0, 0, 0]}}), 'is zero'),
    (content(goals={'g': {'position': [0, 0, 0]}}), "no 'orientation'"),
    (content(parameters={'a': {'b': 1}}), 'a parameter cannot be'),
    (b' ' * (9 * 2**20), 'at most 8 MiB')])
def test_what_is_no_scene_is_refused_with_the_reason(bad, words):
    with pytest.raises(InputError, match=words):
        read_scene(bad)


def test_parameters_that_name_files_are_neither_saved_nor_taken():
    names = ('model_path', 'urdf_path', 'poses', 'xacro_args', 'example.examples',
             'left.example.examples', 'trajectory_topic', 'state_topic', 'use_sim_time')
    scene = read_scene(content(parameters={**dict.fromkeys(names, '/etc/passwd'), 'speed': 0.5}))
    assert scene.parameters == {'speed': 0.5}


def test_an_arm_a_figure_and_their_goals_come_back():
    with (running(urdf_path=robots.OWN / 'arm_6r.urdf') as node,
          view_of(node._domain.id) as (_, view, (robot_view,))):
        assert until(lambda: view._gizmo is not None and robot_view.parameters.get('solver'))
        assert node.set(solver='ccd', ccd__order='outward', motion='joint')[0]
        assert until(lambda: robot_view.parameters.get('motion') == 'joint')
        assert node.set(motion='jump', speed=0.5)[0]
        T = robot_view.chain.forward(robot_view.chain.neutral() + 0.3)
        view.drag_to(T)
        assert until(lambda: np.allclose(robot_view.pose(robot_view.chain.tip_link), T, atol=1e-4))
        assert until(lambda: robot_view.parameters.get('speed') == 0.5)
        saved = read_scene(scene_text(view._scene.scene(None)).encode())
        joints = dict(robot_view.values)
        assert saved.goals[''] == pytest.approx(T, abs=1e-9)
        assert 'model_path' not in saved.parameters

        from ik_node.viewer.gallery import robots as gallery
        view._handles.release()
        humanoid = {**gallery()['humanoid'], 'solver': 'least_squares', 'tasks': ['hand'],
                    'root': 'floating'}
        robot_view.take(humanoid)
        assert node.set(hand__type='pose', hand__link='right_palm')[0]
        assert until(lambda: view._handles.named('hand') is not None
                     and robot_view.parameters.get('hand.type') == 'pose')
        there = view._handles.named('hand').T
        there[:3, 3] += [0.05, 0.0, 0.1]
        view.drag_to(there, 'hand')
        assert until(lambda: np.allclose(robot_view.pose('right_palm'), there, atol=1e-4))
        figure = read_scene(scene_text(view._scene.scene(None)).encode())

        view._scene.load(saved, None)
        assert node.get('solver') == 'ccd'
        assert node.get('ccd.order') == 'outward'
        assert node.get('speed') == 0.5
        assert until(lambda: robot_view.chain is not None and all(
            abs(robot_view.values.get(name, 9.0) - value) < 1e-3
            for name, value in joints.items()))
        assert until(lambda: view._gizmo.T == pytest.approx(T, abs=1e-6))

        view._scene.load(figure, None)
        assert node.get('hand.link') == 'right_palm'
        assert node.get('root') == 'floating'
        assert until(lambda: np.allclose(robot_view.pose('right_palm'), there, atol=1e-4))

        with pytest.raises(InputError, match='has no value of joint'):
            view._scene.load(figure._replace(joints={'waist_yaw': 0.0}), None)
        with pytest.raises(Exception, match='solver must be one of'):
            view._scene.load(saved._replace(parameters={'solver': 'x'}), None)
