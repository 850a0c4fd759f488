"""Steps of the methods, lessons and the demo on the page; the workspace, cut open."""

import re
import threading

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='ROS 2 is not installed (make test brings it from PyPI)')

import robots
from browser import until, user_chooses, user_presses, view_of
from ik_node import Goal, KinematicTree, make_solver
from ik_node.tools.figures_textbook import FIGURES, run
from ik_node.viewer.workspace_panel import _CORNERS, _FACES
from ros_harness import running

ARM = KinematicTree.from_urdf(robots.OWN / 'arm_6r.urdf').chain()
PLANAR = KinematicTree.from_urdf(robots.OWN / 'planar_3r.urdf').chain()


@pytest.fixture(scope='module')
def seen():
    with (running(urdf_path=robots.OWN / 'arm_6r.urdf') as node,
          view_of(node._domain.id) as (_, view, (robot_view,))):
        assert until(lambda: view._gizmo is not None and robot_view.parameters.get('solver')
                     and robot_view.description == robot_view.parameters.description
                     and view._workspace is not None and not view._workspace.is_outdated)
        yield node, view, robot_view


def test_arrows_show_the_step_of_each_method_with_the_nodes_options(seen):
    node, view, robot_view = seen
    panel, q = view._steps, np.array([0.2, 0.3, -0.4, 0.1, -0.5, 0.0])
    goal = ARM.forward(q + 0.1)
    view.drag_to(goal)
    assert until(lambda: np.allclose(robot_view.pose(ARM.tip_link), goal, atol=1e-4))
    robot_view.go_to(q.tolist())
    panel._shown.value = True

    def drawn(damping):
        start = np.array([robot_view.values[name] for name in ARM.joint_names])
        expected = make_solver('dls', ARM, damping=damping).step(Goal.from_pose(goal), start)
        return (np.allclose(start, q, atol=1e-3) and 'dls' in panel._steps
                and np.allclose(panel._steps['dls'], expected, atol=1e-6))
    assert until(lambda: drawn(None))
    assert until(lambda: re.findall(r'</span> (\w+)</td>', panel._table.content) == [
        'pseudoinverse', 'dls', 'transpose', 'ccd'])
    ways = [arrow for arrow in panel._arrows if hasattr(arrow, 'thickness')]
    assert len(ways) == 4
    tip = ARM.forward(q + panel._steps['pseudoinverse'])[:3, 3]
    assert ways[0].points[-1, 1] == pytest.approx(tip, abs=1e-4)
    assert node.set(dls__damping=2.0)[0]
    assert until(lambda: drawn(2.0))
    assert node.set(dls__damping='none')[0]
    dq = panel._steps['ccd']
    panel._take('ccd')
    assert until(lambda: np.allclose([robot_view.values[name] for name in ARM.joint_names],
                                     np.clip(q + dq, ARM.lower, ARM.upper), atol=1e-4))
    panel._shown.value = False
    assert until(lambda: not panel._arrows and not panel._table.content)
    assert not any('/steps/' in name for name in view._server.scene._handle_from_node_name)


def test_the_demo_leads_the_goal_round_until_it_is_stopped(seen):
    _, view, robot_view = seen
    panel = view._demo
    panel._round.value = 4.0
    count = robot_view.count
    user_presses(panel._button)
    assert panel.plays
    assert until(lambda: robot_view.count > count + 20)
    assert all(report.level == 0 for report in list(robot_view.reports)[-10:])
    user_presses(panel._button)
    assert not panel.plays
    assert panel._button.label == 'Play the demo'
    user_presses(panel._button)
    assert until(lambda: robot_view.count > count + 40)
    handle = view._gizmo._handle
    handle.position = np.array(handle.position) + [0.0, 0.0, 0.2]  # as a user's drag
    assert until(lambda: not panel.plays, 5.0)


def test_the_demo_begins_again_although_its_last_goal_is_still_being_sent(seen):
    _, view, robot_view = seen
    panel, drag_to = view._demo, view._demo._drag_to
    begun, go_on = threading.Event(), threading.Event()

    def late(*goal):
        begun.set()
        go_on.wait(60.0)
        drag_to(*goal)
    panel._drag_to = late
    user_presses(panel._button)
    assert begun.wait(60.0)
    panel._drag_to, count = drag_to, robot_view.count
    user_presses(panel._button)
    again = threading.Thread(target=user_presses, args=(panel._button,))
    again.start()
    assert not until(lambda: robot_view.count > count + 5, 2.0)  # that goal is still on its way
    go_on.set()
    again.join(60.0)
    count = robot_view.count
    assert until(lambda: robot_view.count > count + 20)
    user_presses(panel._button)
    assert not panel.plays


def test_the_workspace_is_cut_open_with_a_scale_and_can_be_cancelled(seen):
    _, view, _ = seen
    panel = view._workspace
    user_chooses(panel._choice, 'manipulability')
    assert until(lambda: panel._voxels is not None, 300)
    cut = panel._voxels.batched_positions  # at first, towards the camera
    assert cut[:, 0].max() <= 0.0
    assert 'linear-gradient' in panel._legend.content
    assert 'reach' in panel._legend.content
    user_chooses(panel._cut, 'nothing')
    assert until(lambda: panel._voxels.batched_positions[:, 0].max() > 0.5)
    whole = panel._voxels.batched_positions
    user_chooses(panel._cut, 'z')
    user_chooses(panel._place, 0.3)
    assert until(lambda: panel._voxels.batched_positions[:, 2].max() <= 0.3)
    inside = cut[cut[:, 0] > cut[:, 0].max() - 1e-6]  # what the plane lays open
    assert len(inside) > 3 * (np.abs(whole[:, 0] - cut[:, 0].max()) < 1e-6).sum()
    user_chooses(panel._opacity, 0.9)
    assert until(lambda: panel._voxels.opacity == 0.9)
    user_chooses(panel._choice, 'dexterity')
    assert until(lambda: panel._cancel.visible and panel._progress.value > 0.0, 60)
    user_presses(panel._cancel)
    assert until(lambda: not panel._cancel.visible and panel._voxels is None, 60)
    assert panel._choice.value == 'not shown'
    assert panel._workspace.dexterity is None
    user_chooses(panel._cut, 'nothing')


def test_waypoints_that_are_met_turn_green_and_one_that_is_missed_red(seen):
    node, view, _ = seen
    panel = view._path
    panel.clear()
    q = ARM.neutral()
    met, far = ARM.forward(q + 0.1), ARM.forward(q + 0.15)
    far[:3, 3] *= 5.0
    for T in (ARM.forward(q), met, far):
        panel.add(T)
    panel.follow()

    def colors():
        return [tuple(frame.origin_color) for frame in panel._frames]
    assert until(lambda: colors() == [(40, 160, 60), (40, 160, 60), (210, 40, 40)])
    panel.clear()
    assert not panel._frames
    user_chooses(panel._speed, 0.5)
    assert until(lambda: node.get('speed') == 0.5)
    assert node.set(speed=1.0)[0]
    assert until(lambda: panel._speed.value == 1.0)


def test_a_cube_is_closed_and_faces_outward():
    triangles = _CORNERS[_FACES]
    normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    assert (np.einsum('ij,ij->i', normals, triangles.mean(axis=1)) > 0.0).all()
    assert np.einsum('ij,ij->i', triangles[:, 0], normals).sum() / 6.0 == pytest.approx(1.0)


def test_a_lesson_brings_the_textbooks_arm_and_goes_through_the_frames(seen):
    _, view, robot_view = seen
    panel = view._lessons
    user_chooses(panel._choice, next(
        name for name in panel._choice.options if name.startswith('5.22')))
    figure = FIGURES['5.22']
    runs = [run(PLANAR, method, figure.goal) for method in figure.methods]

    def is_at(q):
        return robot_view.tree.name == 'planar_3r' and np.allclose(
            [robot_view.values.get(name, 9.0) for name in PLANAR.joint_names], q, atol=1e-6)
    assert until(lambda: is_at(runs[0].q[0]), 60)
    assert f'{runs[0].end[1]:.0f}°' in panel._text.content
    user_chooses(panel._method, figure.methods[1].label)
    assert until(lambda: panel._run is not None and np.allclose(panel._run.q, runs[1].q)
                 and not panel._work.busy)
    user_chooses(panel._slider, 12)
    assert until(lambda: is_at(runs[1].q[12]))
    assert until(lambda: len(panel._drawn) == 3)
    user_presses(panel._play)
    assert until(lambda: is_at(runs[1].q[20]), 60)
    robot_view.take(_arm())
    assert until(lambda: panel._run is None and not panel._drawn, 60)
    assert panel._choice.value == 'choose …'


def _arm():
    from ik_node.viewer.gallery import robots as gallery
    return gallery()['arm_6r']
