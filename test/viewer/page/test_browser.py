"""The page in a real browser: what is dragged and chosen there reaches the node, and comes back."""

import base64
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import robots
from browser import (
    arrow_length,
    choose,
    close_folder,
    drag_handle,
    field,
    first_picture,
    frame,
    in_red,
    open_folder,
    open_tab,
    page_of,
    picture,
    picture_size,
    pixel,
    press_home,
    until,
    view_of,
)
from ik_node import KinematicTree
from page_here import panel_of
from ros_harness import running

pytestmark = pytest.mark.slow

# Plays a video; returns its width and height, pixels, and how many pictures it has.
_PLAY = """async () => {
  const video = document.querySelector('video');
  let pictures = 0;
  const count = () => { pictures++; video.requestVideoFrameCallback(count); };
  video.requestVideoFrameCallback(count);
  const ended = new Promise(done => { video.onended = done; });
  await video.play();
  await ended;
  return [video.videoWidth, video.videoHeight, pictures];
}"""


class Seen:
    """A node, the view of it, and the page of that."""

    def __init__(self, node, server, view, robot_view, page, said):
        self.node, self.server, self.view, self.robot_view = node, server, view, robot_view
        self.page, self.said = page, said
        self.chain = KinematicTree.from_urdf(robots.OWN / 'arm_6r.urdf').chain()

    @property
    def client(self):
        return next(iter(self.server.get_clients().values()))

    def tip(self):
        """Return where the tip is by the last joint states, (4, 4), m."""
        return self.chain.forward([self.robot_view.values[name] for name in self.chain.joint_names])

    def goal(self):
        """Return where the handle of the goal is, (4, 4), m."""
        return self.view.page.handle_pose

    def handle(self, axis, far):
        """Return the pixel at a distance, m, on an axis of the gizmo."""
        T = self.goal()
        return pixel(self.page, self.client, T[:3, 3] + far * T[:3, axis])

    def home(self):
        press_home(self.page, self.view)
        start = self.chain.forward(self.chain.neutral())
        assert until(lambda: np.allclose(self.view.page.handle_pose, start, atol=1e-3)
                     and np.allclose(self.tip(), start, atol=1e-3), 60, self.page)

    def markers(self):
        """Return the markers that are in the scene."""
        return [shown.marker for shown in self.robot_view.markers._shown.values()]


def is_red(color):
    return color.r > 2.0 * max(color.g, color.b) and color.a > 0.0


@pytest.fixture(scope='module')
def seen():
    with (running(urdf_path=robots.OWN / 'arm_6r.urdf') as node,
          view_of(node._domain.id) as (server, view, (robot_view,)),
          page_of(server.get_port()) as (page, said)):
        first_picture(page, view)
        yield Seen(node, server, view, robot_view, page, said)


def test_dragging_the_goal_takes_the_arm_there(seen):
    seen.home()
    before, place = seen.tip(), seen.view.page.handle_pose[:3, 3]
    handle = arrow_length(seen.page, seen.view)
    drag_handle(seen.page, seen.view,
                lambda: [seen.handle(2, handle), seen.handle(2, handle - 0.12)])
    assert until(lambda: np.linalg.norm(seen.goal()[:3, 3] - place) > 0.05, 60, seen.page)
    assert until(lambda: np.allclose(seen.tip(), seen.goal(), atol=1e-4), 60, seen.page)
    assert np.linalg.norm(seen.tip()[:3, 3] - before[:3, 3]) > 0.05
    assert seen.robot_view.reports[-1].level == 0


def test_the_solver_chosen_on_the_page_is_the_nodes_parameter(seen):
    open_tab(seen.page, 'Solver')
    choose(seen.page, 'solver', 'ccd')
    assert until(lambda: seen.node.get('solver') == 'ccd', 60, seen.page)
    assert seen.node.set(solver='dls')[0]
    assert until(lambda: panel_of(seen.view, 'Solver')._widgets['solver'].widget.value == 'dls',
                 60, seen.page)
    assert until(lambda: seen.page.locator('input[value="dls"]').count(), 60, seen.page)


def test_a_goal_out_of_reach_turns_red_and_tells_why(seen):
    seen.home()
    handle = arrow_length(seen.page, seen.view)
    for _ in range(20):  # away from the camera
        drag_handle(seen.page, seen.view,
                    lambda: [seen.handle(1, handle), seen.handle(1, handle + 0.3)])
        if seen.robot_view.reports[-1].level:
            break

    def told():
        report = seen.robot_view.reports[-1]  # of the last goal of the drag in the end
        return report.level == 2 and in_red(seen.page, 'not reached')
    assert until(told, 60, seen.page), (seen.view.page.handle_pose, seen.robot_view.reports[-1])
    assert until(lambda: any(is_red(marker.color) for marker in seen.markers()), 60, seen.page)


def test_a_value_the_node_refuses_goes_back_and_the_reason_is_shown(seen):
    open_tab(seen.page, 'Solver')
    label = seen.page.get_by_text('position_tolerance', exact=True)
    open_folder(seen.page, 'Options', label)
    tolerance = field(seen.page, 'position_tolerance')
    tolerance.fill('-3')
    tolerance.press('Enter')
    assert until(lambda: 'position_tolerance must be ' in seen.page.inner_text('body'), 60,
                 seen.page)
    assert seen.node.get('dls.position_tolerance') == 1e-6
    assert until(lambda: tolerance.input_value() == '1e-06', 60, seen.page)
    tolerance.fill('0.001')
    tolerance.press('Enter')
    assert until(lambda: seen.node.get('dls.position_tolerance') == 1e-3, 60, seen.page)
    assert seen.node.set(dls__position_tolerance=1e-6)[0]
    assert seen.node.set(dls__damping=0.25) == (True, '')
    seen.page.get_by_role('button', name='All defaults').click()
    assert until(lambda: seen.node.get('dls.damping') == 'none', 60, seen.page)
    close_folder(seen.page, 'Options', label)


def test_sliders_move_the_joints_and_the_start_pose_stays(seen):
    open_tab(seen.page, 'Move')
    open_folder(seen.page, 'Joints', seen.page.get_by_role('slider'))
    before = dict(seen.robot_view.values)
    slider = seen.page.get_by_role('slider').first
    slider.focus()
    for _ in range(5):
        slider.press('ArrowRight')
    name = seen.chain.joint_names[0]
    assert until(lambda: seen.robot_view.values[name] > before[name] + 1e-3, 60, seen.page)
    for other in seen.chain.joint_names[1:]:
        assert seen.robot_view.values[other] == pytest.approx(before[other], abs=5e-3)
    assert until(lambda: seen.node.get('start_pose') == 'none', 60, seen.page)
    close_folder(seen.page, 'Joints', slider)


def test_a_path_of_waypoints_is_followed(seen):
    seen.home()
    page, handle = seen.page, arrow_length(seen.page, seen.view)
    button = page.get_by_role('button', name='Set a waypoint')
    open_folder(page, 'Path', button)
    button.click()
    drag_handle(page, seen.view,
                lambda: [seen.handle(2, handle), seen.handle(2, handle - 0.1)])
    button.click()
    assert until(lambda: len(seen.view.page.waypoints) == 2, 60, page)
    T = seen.view.page.waypoints[1]
    seen.home()
    count = seen.robot_view.count
    page.get_by_role('button', name='Follow the path').click()
    assert until(lambda: seen.robot_view.count >= count + 2, 60, page)
    assert until(lambda: np.allclose(seen.tip(), T, atol=1e-4), 60, page)
    page.get_by_role('button', name='Clear').click()
    assert until(lambda: not seen.view.page.waypoints, 60, page)
    close_folder(page, 'Path', button)


def test_the_branches_of_the_goal_are_listed_on_request(seen):
    button = seen.page.get_by_role('button', name='List them')
    open_tab(seen.page, 'Solver')
    assert seen.node.set(solver='auto')[0]
    assert seen.node.client.send(seen.chain.forward(seen.chain.neutral() + 0.2)).met
    button.click()
    assert until(lambda: 'inside the limits' in seen.page.inner_text('body'), 60, seen.page)
    seen.page.get_by_role('button', name='Next').click()
    assert until(lambda: panel_of(seen.view, 'Branches')._number == 1, 60, seen.page)
    assert seen.node.set(solver='dls')[0]


def test_the_workspace_is_shown_and_taken_away(seen):
    choice = seen.page.locator('input[value="not shown"]')
    open_tab(seen.page, 'Robot')
    open_folder(seen.page, 'Workspace', choice)
    choose(seen.page, 'workspace', 'manipulability')
    # It is computed beside a page that the processor renders.
    assert until(lambda: panel_of(seen.view, 'Workspace')._drawn, 300, seen.page)
    centres = panel_of(seen.view, 'Workspace')._drawn[0].batched_positions
    assert len(centres) > 1000
    assert np.linalg.norm(centres, axis=1).max() < 1.5 * seen.robot_view.reach
    assert until(lambda: 'reachable' in seen.page.inner_text('body'), 60, seen.page)
    choose(seen.page, 'workspace', 'not shown')
    assert until(lambda: not panel_of(seen.view, 'Workspace')._drawn, 60, seen.page)
    close_folder(seen.page, 'Workspace', choice)


def test_position_only_leaves_the_orientation_free(seen):
    seen.home()
    seen.page.get_by_role('checkbox', name='position only').first.check()
    assert until(lambda: seen.view.page.position_only, 60, seen.page)
    handle = arrow_length(seen.page, seen.view)
    drag_handle(seen.page, seen.view,
                lambda: [seen.handle(2, handle), seen.handle(2, handle - 0.1)])
    assert until(lambda: np.allclose(seen.tip()[:3, 3], seen.goal()[:3, 3], atol=1e-4), 60,
                 seen.page)
    assert until(lambda: float(seen.robot_view.reports[-1].values['orientation_error']) == 0.0, 60,
                 seen.page)
    seen.page.get_by_role('checkbox', name='position only').first.uncheck()


def test_a_picture_can_be_saved(seen):
    page = seen.page
    save = page.get_by_role('button', name='Save a picture')
    open_tab(page, 'Scene')
    with page.expect_download(timeout=60000) as download:
        save.click()
    saved = np.asarray(Image.open(download.value.path()))
    assert saved.shape[0] > 500
    assert saved[..., :3].std() > 5.0


def test_a_film_has_what_the_page_shows_until_it_is_finished(seen):
    page = seen.page
    open_tab(page, 'Scene')
    page.get_by_role('button', name='Record a film').click()
    finish = page.get_by_role('button', name='Finish the film')
    count = len(seen.robot_view.reports)
    for value in 0.2, 0.3:
        seen.node.client.send(seen.chain.forward(seen.chain.neutral() + value))
    assert until(lambda: len(seen.robot_view.reports) > count + 1, 60, page)
    for _ in range(10):
        frame(page)
    with page.expect_download(timeout=60000) as download:
        finish.click()
    assert download.value.suggested_filename == 'ik_view.webm'
    film = base64.b64encode(Path(download.value.path()).read_bytes()).decode()
    assert until(lambda: page.get_by_role('button', name='Record a film').count(), 60, page)
    player = page.context.browser.new_page()
    player.set_content(f'<video muted src="data:video/webm;base64,{film}"></video>')
    width, height, pictures = player.evaluate(_PLAY)
    across, upright = picture_size(page)  # the page draws fewer pixels where it is slow
    assert width >= 0.5 * across
    assert width / height == pytest.approx(across / upright, rel=0.02)
    assert pictures > 1
    assert picture(player, x=0, y=0, width=width, height=height).std() > 5.0
    player.close()


def test_a_scene_is_saved_and_loaded(seen):
    page = seen.page
    seen.home()
    T = seen.chain.forward(seen.chain.neutral() + 0.25)
    seen.view.page.handles.drag_to(T)
    assert until(lambda: np.allclose(seen.tip(), T, atol=1e-4), 60, page)
    open_tab(page, 'Scene')
    with page.expect_download(timeout=60000) as download:
        page.get_by_role('button', name='Save the scene').click()
    file, camera = download.value.path(), seen.client.camera
    place = np.array(camera.position)
    camera.position = place + [0.5, 0.0, 0.5]
    seen.home()
    open_tab(page, 'Scene')
    page.locator('input[type=file]').last.set_input_files(file)
    assert until(lambda: np.allclose(seen.tip(), T, atol=1e-4), 60, page)
    assert until(lambda: np.allclose(seen.view.page.handle_pose, T, atol=1e-4), 60, page)
    assert until(lambda: np.allclose(camera.position, place, atol=1e-3), 60, page)


def test_another_robot_of_the_gallery_is_another_robot_of_the_node(seen):
    open_tab(seen.page, 'Robot')
    choose(seen.page, 'robot', 'scara')
    assert until(lambda: seen.robot_view.tree is not None and seen.robot_view.tree.name == 'scara'
                 and seen.view.page.handle_pose is not None, 60, seen.page)
    assert seen.node.get('model_path').endswith('scara.urdf')
    assert until(lambda: seen.robot_view.chain is not None and set(
        seen.robot_view.values) >= set(seen.robot_view.chain.joint_names), 60, seen.page)


def test_the_console_stays_free_of_errors(seen):
    assert [text for kind, text in seen.said if kind == 'error'] == []
