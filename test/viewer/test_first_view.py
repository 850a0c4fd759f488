"""The first view of a robot: its handle is in the picture of every browser, and in numbers."""

import numpy as np
import pytest

from ik_node.viewer import camera
from page_here import Browser, page_with


@pytest.fixture
def page():
    with page_with('arm_6r', start_pose=[0.1, 0.2, 0.3, 0.1, -0.5, 0.2]) as made:
        yield made


def test_the_handle_is_in_the_picture_of_every_browser_until_the_user_turns_the_camera(page):
    browsers = page.browsers
    browsers.update({2: Browser(390, 700), 3: Browser(480, 600), 4: Browser(1600, 1080)})
    browsers[5] = Browser(0, 0)  # it has no picture yet
    page.settle()
    tip = page.robot_view.pose(page.robot_view.chain.tip_link)
    assert page.handle().T == pytest.approx(tip, abs=1e-6)
    assert [float(page.widget('Goal', f'{axis}, m').value) for axis in 'xyz'] == pytest.approx(
        tip[:3, 3], abs=1e-4)
    assert [browsers[number].sees(tip) for number in (2, 3, 4)] == [True] * 3
    phone, other = browsers[2].camera, browsers[3].camera
    before = phone.position
    phone.image_width, phone.image_height = 844, 300
    other.position = (3.0, 3.0, 3.0)  # by the user
    other.image_width = 700
    page.settle()
    assert phone.position != pytest.approx(before)
    assert browsers[2].sees(tip)
    assert other.position == (3.0, 3.0, 3.0)


def test_a_robot_that_goes_to_its_start_pose_as_it_is_opened_is_seen_there(page, monkeypatch):
    monkeypatch.setattr(camera, '_SETTLES', 1e9)
    page.browsers[2] = Browser()
    page.choose('robot', value='arm_7r')
    page.node.stand(np.full(7, 2.0))
    page.settle()
    page.browsers[2].camera.position = away = (5.0, 5.0, 5.0)  # by the user
    page.node.stand(np.zeros(7))
    page.settle()
    assert page.browser.sees(page.handle().T)
    assert page.browsers[2].camera.position == away
    before = np.array(page.browser.camera.position)
    page.drag(page.handle().T)
    page.node.stand(np.full(7, 1.0))
    page.settle()
    assert page.browser.camera.position == pytest.approx(before)


def test_another_robot_is_shown_to_a_user_who_has_turned_the_camera_too(page):
    page.browser.camera.position = np.full(3, 30.0)
    page.choose('robot', value='scara')
    assert page.browser.sees(page.handle().T)
    assert np.linalg.norm(page.browser.camera.position) < 10.0
