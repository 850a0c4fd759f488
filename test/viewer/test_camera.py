"""The first view: the camera is as near as possible, and all points are in the picture."""

import numpy as np
import pytest

from harness.fake_node import FakeNode
from harness.page_here import Browser, page_of, page_with
from ik_node.commands.pictures import nearest_camera
from ik_node.viewer import camera
from ik_node.viewer.camera import points_to_show
from robots import OWN

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
    points -= 0.7 * np.outer(points @ DIRECTION, DIRECTION) / (DIRECTION @ DIRECTION)  # not deep
    position, look_at = nearest_camera(points, DIRECTION, FOV, aspect)
    assert (position - look_at) / np.linalg.norm(position - look_at) == pytest.approx(
        DIRECTION / np.linalg.norm(DIRECTION))
    shown = picture(points, position, look_at, aspect)
    # The margin is reached on both sides of one axis, and nowhere exceeded.
    assert np.abs(shown).max() == pytest.approx(0.9)
    assert min(shown.max(axis=0).max(), -shown.min(axis=0).min()) <= 0.9 + 1e-9
    assert any(shown[:, axis].max() == pytest.approx(0.9)
               and shown[:, axis].min() == pytest.approx(-0.9) for axis in (0, 1))


def test_the_camera_stays_away_from_what_is_deep():
    rod = np.outer(np.linspace(0.0, 3.0, 20), DIRECTION / np.linalg.norm(DIRECTION))
    position, _ = nearest_camera(rod, DIRECTION, FOV, 4.0 / 3.0)
    assert np.linalg.norm(position - rod[-1]) == pytest.approx(1.5)


@pytest.mark.parametrize('robots', [['arm_6r'], ['humanoid'], ['arm_6r', 'scara', 'arm_7r']])
def test_all_that_is_drawn_of_robots_and_their_handles_is_in_the_first_picture(robots):
    nodes = [FakeNode(model_path=str(OWN / f'{robot}.urdf'), tip_link='right_palm' if (
        robot == 'humanoid') else '') for robot in robots]
    with page_of(*nodes) as page:
        for robot_view in page.robot_views:
            points = points_to_show(robot_view) + robot_view.frame.position
            assert len(points) > 50
            assert all(page.browser.sees(np.array([*np.eye(4)[:3, :3].T, point]).T)
                       for point in points)
            tip = robot_view.pose(robot_view.chain.tip_link)[:3, 3] + robot_view.frame.position
            assert np.abs(points - tip).max(axis=1).min() < 1e-9


@pytest.mark.parametrize('robot', ['planar_3r', 'arm_6r'])
def test_the_camera_is_above_the_ground_and_stays_where_it_fits(robot):
    with page_of(FakeNode(model_path=str(OWN / f'{robot}.urdf'))) as page:
        page.browsers[2] = phone = Browser(390, 844)
        page.update()
        first = np.array(phone.camera.position)
        robot_view = page.robot_view
        assert first[2] > 0.2 * np.linalg.norm(first - robot_view.corners().mean(axis=0))
        page.view.page.camera.fit(phone)
        near = np.array(phone.camera.position)
        page.view.page.camera.fit(phone)
        assert phone.camera.position == pytest.approx(near, rel=0.01)
        assert all(phone.sees(np.array([*np.eye(4)[:3, :3].T, point]).T)
                   for point in robot_view.corners())


@pytest.mark.parametrize('count', [1, 2])
def test_arms_in_a_plane_are_seen_from_above_it(count):
    with page_of(*(FakeNode(model_path=str(OWN / 'planar_3r.urdf')) for _ in range(count))) as page:
        away = np.array(page.browser.camera.position) - page.browser.camera.look_at
        assert away[2] > 0.9 * np.linalg.norm(away)
        assert page.browser.sees(page.handle().T)


def test_shapes_are_inside_the_box_around_them():
    with page_of(FakeNode(model_path=str(OWN / 'arm_6r.urdf'))) as page:
        low, high = (getattr(page.robot_view.corners(), end)(axis=0) for end in ('min', 'max'))
        links = np.array([T[:3, 3] for T in page.robot_view.poses().values()])
        assert (low <= links.min(axis=0)).all()
        assert (links.max(axis=0) <= high).all()
        assert low[2] == pytest.approx(0.0, abs=1e-9)  # it stands on the ground


def test_a_browser_that_comes_later_sees_the_goal_that_is_dragged_and_the_waypoints():
    with page_of(FakeNode(model_path=str(OWN / 'arm_6r.urdf'))) as page:
        far, behind = np.eye(4), np.eye(4)
        far[:3, 3], behind[:3, 3] = (2.0, 3.0, 1.0), (-4.0, 0.0, 0.5)
        page.drag(far)
        page.view.page.waypoints.append(behind)
        assert not (page.browser.sees(far) and page.browser.sees(behind))
        page.browsers[2] = late = Browser()
        page.update()
        assert late.sees(far)
        assert late.sees(behind)


def test_a_browser_that_goes_back_to_the_first_camera_as_it_begins_is_turned_again():
    with page_of(FakeNode(model_path=str(OWN / 'arm_6r.urdf'))) as page:
        page.browsers[2] = late = Browser(390, 844)
        page.update()
        own = np.array(late.camera.position)
        late.camera.position = np.array(page.server.initial_camera.position)
        page.update()
        assert late.camera.position == pytest.approx(own)


@pytest.fixture
def bent():
    with page_with('arm_6r', start_pose=[0.1, 0.2, 0.3, 0.1, -0.5, 0.2]) as made:
        yield made


def test_the_handle_is_in_the_picture_of_every_browser_until_the_user_turns_the_camera(bent):
    browsers = bent.browsers
    browsers.update({2: Browser(390, 700), 3: Browser(480, 600), 4: Browser(1600, 1080)})
    browsers[5] = Browser(0, 0)  # it has no picture yet
    bent.settle()
    tip = bent.robot_view.pose(bent.robot_view.chain.tip_link)
    assert bent.handle().T == pytest.approx(tip, abs=1e-6)
    assert [float(bent.widget('Goal', f'{axis}, m').value) for axis in 'xyz'] == pytest.approx(
        tip[:3, 3], abs=1e-4)
    assert [browsers[number].sees(tip) for number in (2, 3, 4)] == [True] * 3
    phone, other = browsers[2].camera, browsers[3].camera
    before = phone.position
    phone.image_width, phone.image_height = 844, 300
    other.position = (3.0, 3.0, 3.0)  # by the user
    other.image_width = 700
    bent.settle()
    assert phone.position != pytest.approx(before)
    assert browsers[2].sees(tip)
    assert other.position == (3.0, 3.0, 3.0)


def test_a_robot_that_goes_to_its_start_pose_as_it_is_opened_is_seen_there(bent, monkeypatch):
    monkeypatch.setattr(camera, '_SETTLES', 1e9)
    bent.browsers[2] = Browser()
    bent.choose('robot', value='arm_7r')
    bent.stand(np.full(7, 2.0))
    bent.browsers[2].camera.position = away = (5.0, 5.0, 5.0)  # by the user
    bent.stand(np.zeros(7))
    assert bent.browser.sees(bent.handle().T)
    assert bent.browsers[2].camera.position == away
    before = np.array(bent.browser.camera.position)
    bent.drag(bent.handle().T)
    bent.stand(np.full(7, 1.0))
    assert bent.browser.camera.position == pytest.approx(before)


def test_another_robot_is_shown_to_a_user_who_has_turned_the_camera_too(bent):
    bent.browser.camera.position = np.full(3, 30.0)
    bent.choose('robot', value='scara')
    assert bent.browser.sees(bent.handle().T)
    assert np.linalg.norm(bent.browser.camera.position) < 10.0
