"""The first view: the camera is as near as possible, and all points are in the picture."""

from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip('viser', reason='viser is not installed (make test brings it)')
pytest.importorskip('rclpy', reason='ROS 2 is not installed (make test brings it from PyPI)')

from ik_node.commands.pictures import nearest_camera
from ik_node.viewer.camera import points_to_show

DIRECTION, FOV = np.array([1.0, 0.5, 0.45]), np.radians(75.0)


def picture(points, position, look_at, aspect):
    """Return where points (k, 3) are in the picture, (k, 2): −1 to 1, right and up."""
    back = (position - look_at) / np.linalg.norm(position - look_at)
    right = np.cross((0.0, 0.0, 1.0), back)
    right /= np.linalg.norm(right)
    x, y, z = (np.array([right, np.cross(back, right), back]) @ (points - position).T)
    assert z.max() < 0.0  # before the camera
    return np.column_stack([x / aspect, y]) / (-z * np.tan(0.5 * FOV))[:, None]


@pytest.mark.parametrize('aspect', [390 / 844, 4 / 3, 1600 / 1080])
@pytest.mark.parametrize('size', [0.05, 1.0, 100.0])
def test_points_fill_the_picture_whatever_its_shape_and_their_size(aspect, size):
    points = size * (np.random.default_rng(2).uniform(-1.0, 1.0, (20, 3)) + [3.0, -2.0, 1.0])
    position, look_at = nearest_camera(points, DIRECTION, FOV, aspect)
    assert (position - look_at) / np.linalg.norm(position - look_at) == pytest.approx(
        DIRECTION / np.linalg.norm(DIRECTION))
    shown = picture(points, position, look_at, aspect)
    # The margin is reached on both sides of one axis, and nowhere exceeded.
    assert np.abs(shown).max() == pytest.approx(0.9)
    assert min(shown.max(axis=0).max(), -shown.min(axis=0).min()) <= 0.9 + 1e-9
    assert any(shown[:, axis].max() == pytest.approx(0.9)
               and shown[:, axis].min() == pytest.approx(-0.9) for axis in (0, 1))


def test_a_row_of_arms_is_in_the_picture_wherever_they_reach():
    def arm(y):
        base = np.eye(4)
        base[1, 3] = y
        return SimpleNamespace(poses=lambda: {'base': base}, pose=lambda _: base, targets=(),
                               chain=SimpleNamespace(base_link='base'), reach=0.9)
    angles = np.linspace(0.0, 2.0 * np.pi, 72)
    points, reached = [], []
    for y in (0.0, 1.44, 2.88):
        points.append(points_to_show(arm(y), 1.0))
        reached.append(0.9 * np.column_stack([np.cos(angles), np.sin(angles), 0.0 * angles])
                       + [0.0, y, 0.0])
    ahead = np.array([1.0, 0.0, 0.3])
    shown = picture(np.concatenate(reached), *nearest_camera(
        np.concatenate(points), ahead, FOV, 4 / 3), 4 / 3)
    assert np.abs(shown).max() < 0.95
