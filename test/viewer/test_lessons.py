from types import SimpleNamespace

import numpy as np
import pytest

import robots
from harness.page_here import _call, load, page_with, panel_of, save
from ik_node import KinematicTree
from ik_node.commands.figures_textbook import FIGURES, FRAMES, Variant, run
from ik_node.viewer import lesson_panel

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
    page.choose('Lessons', 'lesson', value=next(
        name for name in page.widget('Lessons', 'lesson').options if name.startswith('5.22')))


def arms(page):
    return [drawn._robot.values for drawn in panel_of(page.view, 'Lessons')._drawn[:-1]]


def of(shown, frame):
    return dict(zip(PLANAR.joint_names, shown.q[frame]))


def charts(page):
    return [widget for path, widget, visible in page.widgets()
            if 'Lessons' in path and hasattr(widget, 'data') and visible]


def test_both_methods_of_a_figure_go_through_the_frames_side_by_side(page, runs):
    assert not page.shows('Lessons', 'frame')
    begin(page)
    assert arms(page) == [of(one, 0) for one in runs]
    places = [page.drawn(f'/lesson/{part}')[f'/lesson/{part}'].position for part in 'ab']
    assert places[0][1] - places[1][1] > 10.0  # one above the other
    assert 'Figure 5.22' in page.text('Lessons').replace('*', '')
    assert f'{runs[0].end[1]:.0f}°' in page.text('Lessons')
    page.choose('Lessons', 'frame', value=12)
    assert arms(page) == [of(one, 12) for one in runs]
    page.press('Lessons', 'Play')
    assert arms(page) == [of(one, FRAMES) for one in runs]
    assert page.widget('Lessons', 'frame').value == FRAMES
    assert page.told == []


def test_charts_have_a_line_for_each_method_until_the_frame_that_is_shown(page, runs):
    begin(page)
    page.choose('Lessons', 'frame', value=12)
    distances, steps, angles = (chart.data for chart in charts(page))
    for k, one in enumerate(runs):
        assert distances[k + 1] == pytest.approx(one.distances[:13])
        assert steps[k + 1][1:] == pytest.approx(one.steps[:12])
        assert np.column_stack(angles[3 * k + 1:3 * k + 4]) == pytest.approx(one.degrees[:13])


def test_a_pause_stops_at_its_frame_and_play_goes_on_from_there(page, monkeypatch):
    monkeypatch.setattr(lesson_panel, '_PERIOD', 60.0)
    begin(page)
    page.choose('Lessons', 'frame', value=5)
    page.begin('Lessons', 'Play')
    page.until(lambda: page.shows('Lessons', 'Pause'))
    page.press('Lessons', 'Pause')
    assert page.widget('Lessons', 'frame').value == 5
    monkeypatch.setattr(lesson_panel, '_PERIOD', 0.0)
    page.press('Lessons', 'Play')
    assert page.widget('Lessons', 'frame').value == FRAMES


def drag(page, x, y):
    """Drag the last goal."""
    handle = panel_of(page.view, 'Lessons')._drawn[-1]
    handle._impl.position = np.array([x, y, handle.position[2]])
    for callback in handle._impl_aux.update_cb:
        _call(callback, SimpleNamespace(client=page.browser, phase='update'))
    page.settle()


def test_the_goal_is_dragged_and_damping_and_steps_are_changed(page):
    page.choose('Lessons', 'lesson', value='All methods after one goal')
    page.choose('Lessons', 'frame', value=FRAMES)
    drag(page, 5.0, 12.0)
    pinv, dls = FIGURES['5.20'].methods
    methods = [pinv, dls, Variant('', 'transpose'), Variant('', 'ccd')]
    expected = [run(PLANAR, method, (5.0, 12.0)) for method in methods]
    assert arms(page) == [of(one, FRAMES) for one in expected]
    page.choose('Lessons', 'λ', value=1.0)
    page.choose('Lessons', 'step', value=0.5)
    expected = run(PLANAR, Variant('', 'dls', {'damping': 1.0}), (5.0, 12.0), share=0.5)
    assert arms(page)[1] == of(expected, FRAMES)
    page.press('Lessons', 'Step')  # from the last frame to the first
    assert arms(page)[1] == of(expected, 0)
    assert 'λ = 1' in next(node.text for name, node in page.drawn('/lesson/b').items()
                           if name.endswith('label'))


def test_joints_stop_at_their_limits_where_the_null_space_leads_them_away(page):
    page.choose('Lessons', 'lesson', value='Limits and the null space')
    plain, drawn = panel_of(page.view, 'Lessons')._runs
    assert np.abs(plain.degrees).max() == pytest.approx(80.0)
    assert drawn.distances[-1] < 0.7 * plain.distances[-1]


def test_the_camera_looks_at_the_plane_of_the_arms(page):
    begin(page)
    camera = page.browser.camera
    back = np.array(camera.position) - camera.look_at
    assert back[2] > 0.999 * np.linalg.norm(back)


@pytest.mark.parametrize('end', [
    lambda page: page.press('Lessons', 'End the lesson'),
    lambda page: page.choose('Lessons', 'lesson', value='choose …')])
def test_the_robot_stays_as_it_is_and_is_shown_again_at_the_end(page, end):
    before, q, sent = np.array(page.browser.camera.position), page.q(), list(page.node.sent)
    begin(page)
    frame = page.robot_view.frame
    assert not frame.visible
    assert page.handle()._handle.name.startswith(f'{frame.name}/')  # hidden with it
    page.press('Lessons', 'Play')
    end(page)
    assert frame.visible
    assert not page.drawn('/lesson/')
    assert not page.shows('Lessons', 'frame')
    assert charts(page) == []
    assert page.node.sent == sent
    assert page.q() == pytest.approx(q)
    assert page.browser.camera.position == pytest.approx(before)


def test_a_lesson_hides_the_handles_of_obstacles(page):
    page.choose('Obstacles', 'add', value='box')
    begin(page)
    frame = page.robot_view.frame
    assert not frame.visible
    assert f'{frame.name}/obstacles/1' in page.drawn('/')


def test_a_robot_that_a_lesson_hides_is_not_moved_and_that_is_said(page):
    page.drag(page.handle().T)
    sent = list(page.node.sent)
    page.player.show()
    page.settle()
    assert page.shows('Goal', 'Home')
    assert page.shows('Playback', 'Play')
    begin(page)
    for folder, widget in ('Goal', 'Home'), ('Demo', 'Play the demo'), ('Steps', 'one step'):
        assert not page.shows(folder, widget)
    assert 'the lesson hides the robot' in page.text()
    page.view._on_step('Undo')
    assert not page.shows('Playback')
    load(page, save(page))
    page.upload('Open a file …', name='mine.urdf', content=(robots.OWN / 'scara.urdf').read_bytes())
    hidden = 'the lesson hides the robot; end it first'
    assert page.told == [hidden, f'scene.json is not loaded: {hidden}', hidden]
    assert page.node.sent == sent
    page.press('Lessons', 'End the lesson')
    assert page.shows('Goal', 'Home')
    assert 'the lesson hides the robot' not in page.text()
    page.view._on_step('Undo')
    assert page.node.sent != sent
