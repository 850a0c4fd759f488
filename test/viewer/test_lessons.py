"""Lessons: a figure of the textbook with its arm, method by method and frame by frame."""

import numpy as np
import pytest

import robots
from ik_node import KinematicTree
from ik_node.commands.figures_textbook import FIGURES, FRAMES, run
from ik_node.viewer import lesson_panel
from ik_node.viewer.gallery import robots as gallery
from page_here import page_with

PLANAR = KinematicTree.from_urdf(robots.OWN / 'planar_3r.urdf').chain()
FIGURE = FIGURES['5.22']


@pytest.fixture(scope='module')
def runs():
    return [run(PLANAR, method, FIGURE.goal) for method in FIGURE.methods]


@pytest.fixture
def page(monkeypatch):
    monkeypatch.setattr(lesson_panel, '_PERIOD', 0.0)
    with page_with('arm_6r') as made:
        yield made


def begin(page):
    page.put('Lessons', 'figure', value=next(
        name for name in page.widget('Lessons', 'figure').options if name.startswith('5.22')))
    page.settle()


def test_a_lesson_brings_the_textbooks_arm_and_goes_through_the_frames(page, runs):
    assert not page.shows('Lessons', 'frame')
    begin(page)
    assert page.robot_view.tree.name == 'planar_3r'
    assert page.q() == pytest.approx(runs[0].q[0])
    assert 'Figure 5.22' in page.text('Lessons').replace('*', '')
    assert f'{runs[0].end[1]:.0f}°' in page.text('Lessons')
    page.choose('Lessons', 'method', value=FIGURE.methods[1].label)
    page.choose('Lessons', 'frame', value=12)
    assert page.q() == pytest.approx(runs[1].q[12])
    assert len(page.drawn('/lesson/')) == 3  # the goal, its path and that of the tip
    page.press('Lessons', 'Play the frames')
    assert page.q() == pytest.approx(runs[1].q[FRAMES])
    assert page.widget('Lessons', 'frame').value == FRAMES
    assert page.told == []


def test_the_camera_looks_at_the_plane_of_the_arm(page):
    begin(page)
    camera = page.browser.camera
    assert (np.array(camera.position) - camera.look_at)[2] > 1.0


def test_another_robot_and_no_figure_end_the_lesson(page):
    begin(page)
    page.robot_view.load(gallery()['arm_6r'])
    page.settle()
    assert not page.drawn('/lesson/')
    assert not page.shows('Lessons', 'frame')
    assert page.widget('Lessons', 'figure').value == 'choose …'
    begin(page)
    assert page.drawn('/lesson/')
    page.choose('Lessons', 'figure', value='choose …')
    assert not page.drawn('/lesson/')


def test_a_refusal_is_told(page):
    page.node.refusal = 'it is busy'
    begin(page)
    assert page.told == ['it is busy']
    assert page.robot_view.tree.name == 'arm_6r'
