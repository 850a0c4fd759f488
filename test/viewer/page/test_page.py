"""The page in a real browser, in the short run of the tests: the rest of this folder is slow.

The node is not there, as in the tests of the panels; its solver and its robot are.
"""

import numpy as np
from fake_node import FakeNode

import robots
from browser import drag_handle, first_picture, page_of, picture, pixel, until, view_on
from ik_node import KinematicTree

ARM = KinematicTree.from_urdf(robots.OWN / 'arm_6r.urdf').chain()

SIZE = {'width': 900, 'height': 500}


def test_the_page_shows_the_robot_and_the_arm_follows_the_handle_that_a_mouse_drags():
    node = FakeNode(model_path=str(robots.OWN / 'arm_6r.urdf'))
    with (view_on(node) as (server, view, robot_view),
          page_of(server.get_port(), size=SIZE) as (page, said)):
        first_picture(page, view)
        assert 'arm_6r, 6 joints from base_link to tool0' in page.inner_text('body')

        (client,) = server.get_clients().values()
        beside_panel = {'x': 0, 'y': 0, 'width': 0.5 * SIZE['width'], 'height': SIZE['height']}
        for shown in (False, True):
            before = picture(page, **beside_panel)
            robot_view._place.visible = shown

            def changed(before=before):
                return (np.abs(picture(page, **beside_panel) - before).max(axis=2) > 30.0).sum()
            assert until(lambda: changed() > 1000, 120.0, page), (
                f'{changed()} pixels change when the robot is {"shown" if shown else "hidden"}')

        start = view._gizmo.T
        arrow = 0.85 * 0.35 * robot_view.reach

        def ends():
            T = view._gizmo.T
            return [pixel(page, client, T[:3, 3] + far * T[:3, 2]) for far in (arrow, arrow - 0.12)]
        drag_handle(page, view, ends)

        def tip():
            return ARM.forward([robot_view.values[name] for name in ARM.joint_names])
        assert until(lambda: np.allclose(tip(), view._gizmo.T, atol=1e-4), 120.0, page), (
            tip(), view._gizmo.T)
        assert np.linalg.norm(tip()[:3, 3] - start[:3, 3]) > 0.05
        assert until(lambda: 'the goal is met' in page.inner_text('body'), 120.0, page)
        assert [text for kind, text in said if kind == 'error'] == []
