"""Obstacles in a real browser: made, dragged into the arm by the mouse, and deleted."""

import numpy as np
import pytest

import robots
from browser import drag, drawn, first_picture, open_tab, page_of, pixel, until, view_of
from ik_node import KinematicTree
from ik_node.collision import Box, CollisionModel, Obstacle
from page_here import panel_of
from ros_harness import running

pytestmark = pytest.mark.slow
CHAIN = KinematicTree.from_urdf(robots.OWN / 'arm_6r.urdf').chain()


def handle_pixel(page, view, axis, far):
    """Return the pixel at a distance, m, on an axis of the handle of the only obstacle."""
    (one,) = panel_of(view, 'Obstacles').obstacles.values()
    client = next(iter(view._server.get_clients().values()))
    return pixel(page, client, one.T[:3, 3] + far * one.T[:3, axis])


def pull(page, view, axis, way):
    """Drag the handle of the only obstacle along an axis by some way, m, with the mouse."""
    panel = panel_of(view, 'Obstacles')
    (before,) = panel.obstacles.values()
    arrow = 0.85 * 0.16 * view._robot_views[0].reach

    def moved():
        drag(page, handle_pixel(page, view, axis, arrow),
             handle_pixel(page, view, axis, arrow + way))
        (now,) = panel.obstacles.values()
        return abs((now.T - before.T)[:3, 3] @ before.T[:3, axis]) > 0.5 * abs(way)
    assert until(moved, 60, page)


def test_an_obstacle_is_made_dragged_into_the_arm_and_deleted():
    with (running(urdf_path=robots.OWN / 'arm_6r.urdf', dls__avoid_collisions=True) as node,
          view_of(node._domain.id) as (server, view, (robot_view,)),
          page_of(server.get_port()) as (page, said)):
        first_picture(page, view)
        open_tab(page, 'Scene')
        page.get_by_role('button', name='box', exact=True).click()
        panel = panel_of(view, 'Obstacles')

        def shown():
            return [one.marker for one in robot_view.markers._shown.values()
                    if one.marker.ns == 'obstacles']
        assert until(shown, 60, page)
        assert shown()[0].color.g > 0.3
        q = np.array([robot_view.values[name] for name in CHAIN.joint_names])
        for _ in range(20):  # towards the arm
            pull(page, view, 0, -0.1)
            (one,) = panel.obstacles.values()
            obstacle = Obstacle(Box(one.sizes), one.T)
            if CollisionModel(CHAIN, [obstacle]).contacts(q, -1e-3):
                break
        assert until(lambda: shown() and shown()[0].color.g < 0.3, 60, page)
        assert until(lambda: any('in contact' in one.marker.text for one in
                                 robot_view.markers._shown.values()), 60, page)
        # A goal where the arm is now is solved by a configuration beside the obstacle, or not.
        response = node.client.send(CHAIN.forward(q), timeout=60.0)
        free = CollisionModel(CHAIN, [obstacle])
        if response.met:
            assert free.is_free([response.joints[name] for name in CHAIN.joint_names])
        else:
            assert response.values['reason'] == 'COLLISION'
            assert response.values['contact_second'] == 'page/box/1'
        page.get_by_role('button', name='this one', exact=True).click()
        assert until(lambda: not shown(), 60, page)
        assert until(lambda: '/obstacles/1' not in drawn(page), 60, page)
        assert until(lambda: node.client.send(CHAIN.forward(q), timeout=60.0).met, 60)
        assert [text for kind, text in said if kind == 'error'] == []
