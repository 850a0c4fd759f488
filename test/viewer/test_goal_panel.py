"""The goal in numbers, the layers of markers, and the command that sends the goal."""

import shlex
from types import SimpleNamespace

import numpy as np
import pytest

viser = pytest.importorskip('viser', reason='viser is not installed (make test brings it)')
pytest.importorskip('rclpy', reason='ROS 2 is not installed (make test brings it from PyPI)')

import yaml

from browser import user_chooses
from ik_node.spatial import pose_from_rpy
from ik_node.viewer.goal_panel import GoalPanel
from ik_node.viewer.layer_panel import LayerPanel

BASE = pose_from_rpy((0.0, 0.0, 0.5), (0.0, 0.0, np.pi / 2))
GOAL = pose_from_rpy((0.4, -0.2, 0.6), (0.1, 0.2, 0.3))


@pytest.fixture(scope='module')
def server():
    server = viser.ViserServer(host='127.0.0.1', port=8600, verbose=False)
    yield server
    server.stop()


class Shown:
    """A panel of an arm on a base that is not at the origin."""

    def __init__(self, server):
        self.robot_view = SimpleNamespace(chain=object(), goal_topic='/left/goal_pose',
                                          target_frame=lambda target: BASE)
        self.T, self.dragged, self.released = BASE @ GOAL, [], []
        self.panel = GoalPanel(server, self.robot_view, lambda: self.T, self.dragged.append,
                               lambda: self.released.append(True))
        self.panel.update()

    def type(self, widget, value):
        widget.value = value
        self.panel._typed(SimpleNamespace(client=object(), target=widget))


@pytest.fixture
def shown(server):
    return Shown(server)


def test_the_goal_is_shown_in_the_frame_of_the_base_in_degrees_or_radians(shown):
    panel = shown.panel
    assert panel._xyz.value == pytest.approx((0.4, -0.2, 0.6))
    assert panel._rpy.value == pytest.approx(np.degrees((0.1, 0.2, 0.3)), abs=1e-4)
    panel._unit.value = 'radians'
    panel._show_angles()
    assert panel._rpy.value == pytest.approx((0.1, 0.2, 0.3), abs=1e-4)


def test_what_is_typed_is_a_goal_and_what_is_not_typed_stays_as_it_is(shown):
    shown.type(shown.panel._xyz, (0.5, -0.2, 0.6))
    (T,) = shown.dragged
    wanted = GOAL.copy()
    wanted[0, 3] = 0.5
    assert pytest.approx(BASE @ wanted, abs=1e-12) == T
    shown.type(shown.panel._rpy, (0.0, 90.0, 0.0))
    assert shown.dragged[-1] == pytest.approx(
        BASE @ pose_from_rpy((0.5, -0.2, 0.6), (0.0, np.pi / 2, 0.0)))


def test_the_command_sends_the_goal(shown):
    *command, message = shlex.split(shown.panel._command.value)
    assert command == ['ros2', 'topic', 'pub', '--once', '/left/goal_pose',
                       'geometry_msgs/PoseStamped']
    pose = yaml.safe_load(message)['pose']
    assert list(pose['position'].values()) == pytest.approx(GOAL[:3, 3])
    assert np.linalg.norm(list(pose['orientation'].values())) == pytest.approx(1.0, abs=1e-5)
    shown.robot_view.chain = None
    shown.panel.update()
    assert not shown.panel._command.visible


def test_few_layers_are_shown_at_first(server):
    hidden = []
    panel = LayerPanel(server, [SimpleNamespace(hide_layers=hidden.append)])
    assert hidden == [{'manipulability', 'limits'}]
    panel._shown['limits'].value = True
    panel._shown['trail'].value = False
    panel._apply()
    assert hidden[-1] == {'manipulability', 'trail'}


def test_meshes_are_fine_where_that_is_asked_for(server):
    fine = []
    panel = LayerPanel(server, [SimpleNamespace(hide_layers=lambda _: None, refine=fine.append)])
    assert fine == []
    user_chooses(panel._fine, True)
    assert fine == [True]
