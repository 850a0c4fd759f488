"""What the first view in RViz shows of robots of any size and shape at zero."""

import math
from typing import NamedTuple

import numpy as np
import pytest
import yaml

pytest.importorskip('rclpy', reason='ROS 2 is not installed (make test brings it from PyPI)')

from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import Pose
from visualization_msgs.msg import Marker

import robots
from ik_node import KinematicTree
from ik_node.commands.demo.rviz_view import fit, motion_points, shown_points
from ik_node.control.arm import Arm
from ik_node.control.group_source import GroupSource
from ik_node.control.options import ArmOptions, NodeOptions
from ik_node.control.robot import Robot
from ik_node.kinematics.reach import extent
from ik_node.mocap.recording_files import read_recording
from ik_node.model.readers import read_model
from ik_node.motion.tip_path import ClosedPath
from ik_node.ros.publishing.markers.group_markers import SceneMarkers
from ik_node.ros.publishing.markers.shapes import shown_size
from ik_node.ros.publishing.markers.task_markers import TaskMarkers
from ik_node.ros.services.interaction.handles import Look, handle_marker
from ik_node.solvers.goal import Goal
from ik_node.support.resources import robot_file

VIEW = {'Yaw': 0.5, 'Pitch': 0.45}
HEIGHT = 760  # pixels of the picture in a window of 850
LETTER_WIDTH = 0.55  # of its height, on average
ARROWS = 0.9  # of the scale of a handle: how far interactive_markers draws its arrows
TIPS = {'torso': ('torso_link', 'left_tool0')}


class OrbitCamera(NamedTuple):
    """An orbit camera as RViz describes it."""

    focal_point: np.ndarray  # (3,) m.
    distance: float  # m, of the eye from the focal point.
    yaw: float  # rad, about z: where the eye is, seen from the focal point.
    pitch: float  # rad, of the eye above the horizon.

    @property
    def axes(self):
        """(3, 3): rows to the right, upwards, and from the focal point to the eye."""
        c, s = math.cos(self.yaw), math.sin(self.yaw)
        back = np.array([c * math.cos(self.pitch), s * math.cos(self.pitch), math.sin(self.pitch)])
        right = np.array([-s, c, 0.0])
        return np.array([right, np.cross(back, right), back])

    def project(self, points):
        """Return the places (k, 2) of points (k, 3), m, in the picture: ±1 at its edges."""
        seen = (points - self.focal_point) @ self.axes.T
        half = math.tan(math.radians(22.5)) * (self.distance - seen[:, 2:])
        return seen[:, :2] / (half * np.array([1.2, 1.0]))


def folded(size):
    """An arm whose tip is at its base where its joints are zero."""
    lengths = [0.0, 0.5 * size, -0.5 * size, 0.0]
    return KinematicTree.from_dh({'convention': 'standard', 'joints': [
        {'name': f'j{i}', 'type': 'revolute', 'a': a, 'alpha': alpha, 'd': 0.0, 'theta': 0.0,
         'lower': -2.5, 'upper': 2.5}
        for i, (a, alpha) in enumerate(zip(lengths, (1.5708, 0.0, 1.5708, 0.0)))]})


TREES = {**{name: lambda name=name: read_model(robot_file(name))
            for name in ('arm_6r', 'arm_7r', 'planar_3r', 'scara', 'torso', 'panda', 'puma560')},
         'folded': lambda: folded(1.0), 'tiny': lambda: folded(0.1), 'large': lambda: folded(60.0)}


def config_for(tree, chain, options=None):
    """Return the part of an RViz configuration that is fitted, and its camera."""
    grid = {'Class': 'rviz_default_plugins/Grid'}
    return grid, camera_for(shown_points(tree, chain, options or NodeOptions()), [grid])


def camera_for(points, displays=()):
    """Return the camera that is fitted to points (k, 3)."""
    view = {**VIEW, 'Distance': 0.0, 'Focal Point': None}
    fit({'Visualization Manager': {'Views': {'Current': view}, 'Displays': displays}}, points)
    return OrbitCamera(np.array([view['Focal Point'][axis] for axis in 'XYZ']),
                       view['Distance'], view['Yaw'], view['Pitch'])


def texts(camera, chain, T_root_base, words):
    """Return the boxes (k, 4) of the panel's texts in the picture, and their letters, pixels.

    A box is left, bottom, right, top; ±1 are the edges of the picture.
    """
    tree = chain.tree
    robot = Robot(tree, {'': Arm(GroupSource(tree, ArmOptions(
        base_link=chain.base_link, tip_link=chain.tip_link)))})
    scene = SceneMarkers()
    scene.update(robot)
    scene.show_refusal('', words)
    boxes, letters = [], []
    for marker in scene.message(robot, NodeOptions(), None).markers:
        if marker.type != Marker.TEXT_VIEW_FACING:
            continue
        boxes.append(box_of(camera, marker, T_root_base))
        _, bottom, _, top = boxes[-1]
        letters.append(0.5 * HEIGHT * (top - bottom) / (1.3 * len(marker.text.split('\n'))))
    return np.array(boxes), letters


def box_of(camera, text, T_root_base):
    """Return the box of a marker of text in the picture: left, bottom, right and top."""
    p, lines = text.pose.position, text.text.split('\n')
    middle = T_root_base[:3, :3] @ (p.x, p.y, p.z) + T_root_base[:3, 3]
    half = 0.5 * text.scale.z * np.array(
        [LETTER_WIDTH * max(len(line) for line in lines), 1.3 * len(lines)])
    offsets = np.array([[-half[0], -half[1]], half]) @ camera.axes[:2]
    return camera.project(middle + offsets).ravel()


@pytest.mark.parametrize('name', TREES)
def test_an_arm_on_its_path_is_large_in_the_picture_and_apart_from_all_texts(name):
    tree = TREES[name]()
    chain = tree.chain(*TIPS.get(name, ()))
    grid, camera = config_for(tree, chain)
    T, path = tree.forward()[chain.base_link], ClosedPath(chain)
    frames = [tree.forward(dict(zip(chain.joint_names, path.configuration(s))))
              for s in np.linspace(0.0, 1.0, 60)]
    seen = camera.project(np.array([T[:3, 3] for links in frames for T in links.values()]))
    assert np.abs(seen).max() < 1.0
    assert np.ptp(seen, axis=0).max() > 0.85  # of 2.0, and the panel is beside it
    boxes, letters = texts(camera, chain, T, 'three words more ' * 4)
    assert np.abs(boxes).max() < 1.0
    assert min(letters) > 9.0
    for left, bottom, right, top in boxes:  # hardly a tip is behind one of them
        assert ((left < seen[:, 0]) & (seen[:, 0] < right)
                & (bottom < seen[:, 1]) & (seen[:, 1] < top)).mean() <= 0.02
    assert 5 < camera.distance / grid['Cell Size'] < 30


@pytest.mark.parametrize('name', [*TREES, 'ur5'])
def test_the_handle_and_the_text_of_a_goal_are_in_the_picture_on_the_whole_path(name):
    tree = TREES[name]() if name in TREES else robots.tree(name)
    chain = tree.chain(*TIPS.get(name, ()))
    _, camera = config_for(tree, chain)
    T, path = tree.forward()[chain.base_link], ClosedPath(chain)
    size = shown_size(extent(chain.arrays).reach)
    look = Look('', size, (1.0,) * 6, ('dls',), 'dls', None)
    ends = ARROWS * handle_marker('tip', Pose(), look).scale * np.vstack([np.eye(3), -np.eye(3)])
    for s in np.linspace(0.0, 1.0, 60):
        tip = T @ chain.forward(path.configuration(s))
        assert np.abs(camera.project(ends @ tip[:3, :3].T + tip[:3, 3])).max() < 1.0
        text = TaskMarkers('', 'goal', size, DiagnosticStatus.ERROR, 'UNREACHABLE').goal(
            Goal.from_pose(tip, project=True))[-1]
        assert np.abs(box_of(camera, text, np.eye(4))).max() < 1.0


def test_a_figure_is_in_the_picture_where_its_root_starts():
    tree = read_model(robot_file('humanoid'))
    raised = NodeOptions(root='floating', root_pose=(0.0, 0.0, 0.97, 0.0, 0.0, 0.0))
    _, camera = config_for(tree, None, raised)
    places = np.array([T[:3, 3] for T in tree.forward().values()]) + [0.0, 0.0, 0.97]
    seen = camera.project(places)
    assert np.abs(seen).max() < 1.0
    assert np.ptp(seen[:, 1]) > 0.8
    assert seen[:, 1].max() < 0.75  # there is room for the status above


def test_the_camera_is_the_nearest_that_has_all_points():
    points = np.random.default_rng(3).normal(size=(50, 3))
    camera = camera_for(points)
    edge = np.abs(camera.project(points)).max()
    assert 0.85 < edge < 1.0
    nearer = camera._replace(distance=0.8 * camera.distance)
    assert np.abs(nearer.project(points)).max() > edge


def test_the_view_of_the_file_is_the_one_that_is_fitted():
    file = robots.OWN.parent / 'config' / 'demo.rviz'
    view = yaml.safe_load(file.read_text())['Visualization Manager']['Views']['Current']
    assert view['Class'] == 'rviz_default_plugins/Orbit'
    assert VIEW.items() <= view.items()
    assert {'Yaw', 'Pitch', 'Distance', 'Focal Point', 'Near Clip Distance'} <= view.keys()


def test_a_motion_is_in_the_picture_from_its_first_frame_to_its_last():
    folder = robots.OWN.parent / 'config' / 'motions'
    recording = read_recording(folder / 'walk.amc', read_model(folder / 'walker.asf'))
    points = motion_points(recording)
    camera = camera_for(points)
    for time in np.linspace(0.0, recording.duration, 23):
        poses = recording.tree.forward(
            dict(zip(recording.moving_joints, recording.positions(time))))
        places = camera.project(np.array([T[:3, 3] for T in poses.values()]))
        assert np.abs(places).max() < 1.0
