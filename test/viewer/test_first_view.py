"""The first view of a robot: its handle is in the picture of every browser, and in numbers."""

import contextlib
import threading
from types import SimpleNamespace

import numpy as np
import pytest

viser = pytest.importorskip('viser', reason='viser is not installed (make test brings it)')
pytest.importorskip('rclpy', reason='ROS 2 is not installed (make test brings it from PyPI)')

import robots
from ik_node import KinematicTree
from ik_node.viewer.robot_view import RobotView
from ik_node.viewer.view import View


class Browser:
    """A browser without a page: its camera is what was set."""

    def __init__(self, width, height):
        self.camera = SimpleNamespace(
            image_width=width, image_height=height, fov=np.radians(75.0), position=np.zeros(3),
            look_at=np.zeros(3))
        self.atomic = contextlib.nullcontext

    def sees(self, T):
        """Return whether a pose is in the picture."""
        camera = self.camera
        back = np.subtract(camera.position, camera.look_at)
        back /= np.linalg.norm(back)
        right = np.cross((0.0, 0.0, 1.0), back)
        right /= np.linalg.norm(right)
        x, y, z = np.array([right, np.cross(back, right), -back]) @ (T[:3, 3] - camera.position)
        upright = z * np.tan(0.5 * camera.fov)
        across = upright * camera.image_width / camera.image_height
        return bool(z > 0.0 and abs(y) < upright and abs(x) < across)


@pytest.fixture
def shown(monkeypatch):
    server = viser.ViserServer(host='127.0.0.1', port=8700, verbose=False)
    robot_view = RobotView(server, 'first_view', changed=lambda: None)
    view = View(server, [robot_view], threading.Event())
    browsers = {}
    monkeypatch.setattr(server, 'get_clients', lambda: browsers)
    file = robots.OWN / 'arm_6r.urdf'
    robot_view.on_description(file.read_text())
    chain = KinematicTree.from_urdf(file).chain()
    robot_view.on_joints(dict(zip(chain.joint_names, [0.1, 0.2, 0.3, 0.1, 0.5, 0.2])))
    yield view, robot_view, browsers
    view.close()
    server.stop()


def update(view):
    view._paint()
    view._update_tables()


def test_the_handle_is_in_the_picture_of_every_browser_until_the_user_turns_the_camera(shown):
    view, robot_view, browsers = shown
    browsers.update({1: Browser(390, 700), 2: Browser(480, 600), 3: Browser(1600, 1080)})
    update(view)
    tip = robot_view.pose(robot_view.chain.tip_link)
    assert view._gizmo.T == pytest.approx(tip, abs=1e-6)
    assert view._goal_panel._xyz.value == pytest.approx(tip[:3, 3], abs=1e-4)
    assert all(browser.sees(tip) for browser in browsers.values())
    phone, other = browsers[1].camera, browsers[2].camera
    before = phone.position
    phone.image_width, phone.image_height = 844, 300
    other.position = (3.0, 3.0, 3.0)  # by the user
    other.image_width = 700
    update(view)
    assert phone.position != pytest.approx(before)
    assert browsers[1].sees(tip)
    assert other.position == (3.0, 3.0, 3.0)
