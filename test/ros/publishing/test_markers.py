"""What ~/markers show of every robot of this package, in every outcome and configuration."""

import functools
from types import SimpleNamespace

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from hypothesis import given, settings
from hypothesis import strategies as st
from visualization_msgs.msg import Marker

import robots
import task_bodies
from harness.figure_values import built
from harness.marker_checks import check_markers
from ik_node import Goal, StopReason
from ik_node.control.arm import Arm
from ik_node.control.controller import Outcome
from ik_node.control.group import TaskGoal
from ik_node.control.group_source import GroupSource
from ik_node.control.options import ArmOptions, NodeOptions
from ik_node.control.robot import Robot
from ik_node.model.body import BodyFrames
from ik_node.model.readers import read_model
from ik_node.ros.conversions import matrix_to_pose
from ik_node.ros.publishing.markers.chain_markers import (
    BranchList,
    ellipsoid_markers,
    sticks,
    velocity_ellipsoid,
)
from ik_node.ros.publishing.markers.group_markers import SceneMarkers
from ik_node.ros.publishing.markers.limit_panel import nearness
from ik_node.ros.publishing.markers.shapes import AMBER, GREEN, RED
from ik_node.ros.publishing.markers.task_markers import TaskMarkers
from ik_node.ros.services.interaction.handles import Look, handle_marker
from ik_node.support.resources import robot_file
from ik_node.tasks import AlignAxis, CenterOfMass, Force, HalfSpace, LookAt, PointOnLine, Pose

ROBOTS = {'arm_6r': ('', ''), 'arm_7r': ('', ''), 'planar_3r': ('', ''), 'scara': ('', ''),
          'torso': ('torso_link', 'left_tool0'), 'panda': ('', ''), 'puma560': ('', '')}
PREFIXED = NodeOptions(frame_prefix='p/')
LEVELS = {DiagnosticStatus.OK: GREEN, DiagnosticStatus.WARN: AMBER, DiagnosticStatus.ERROR: RED}


@functools.lru_cache
def robot_of(name, solver='auto'):
    base, tip = ROBOTS[name]
    tree = read_model(robot_file(name))
    return Robot(tree, {'': Arm(GroupSource(tree, ArmOptions(
        base_link=base, tip_link=tip, solver=solver)))})


def solved(goal, reason='CONVERGED'):
    """Return the outcome of a goal of an arm without a name."""
    return Outcome((TaskGoal('', goal),), SimpleNamespace(reason=StopReason[reason]), True, None)


def two_arms():
    tree = read_model(robot_file('torso'))
    return Robot(tree, {side: Arm(GroupSource(tree, ArmOptions(
        base_link='torso_link', tip_link=f'{side}_tool0'), name=side))
                        for side in ('left', 'right')})


def two_branches(robot, arm):
    return BranchList(np.array([robot.joint_configuration(arm), arm.start]), '2 branches')


def one(robot):
    return next(iter(robot.groups.values()))


def drawn(*of):
    """Return a robot, its arm, and its markers."""
    robot, scene = robot_of(*of), SceneMarkers()
    scene.update(robot)
    return robot, one(robot), scene


def by_key(array):
    return {(marker.ns, marker.id): marker for marker in array.markers}


def of(array, namespace):
    return [marker for marker in array.markers
            if marker.ns == namespace and marker.action == Marker.ADD]


@pytest.mark.parametrize('name', ROBOTS)
@pytest.mark.parametrize('level', LEVELS, ids=['met', 'approximate', 'refused'])
def test_they_are_valid_for_every_robot_and_outcome(name, level):
    robot, scene = robot_of(name), SceneMarkers()
    arm = one(robot)
    robot.reset()
    scene.update(robot)
    frames = {f'p/{link}' for link in robot.tree.links}
    check_markers(scene.message(robot, PREFIXED, two_branches), frames)
    T = arm.chain.forward(arm.chain.neutral())
    for goal in (Goal(T[:3, 3], T[:3, :3]), Goal(T[:3, 3])):
        scene.show(robot, arm, solved(goal, 'STALLED'), level, 'words ' * 100)
        array = scene.message(robot, PREFIXED, two_branches)
        check_markers(array, frames)
        ball, label = by_key(array)['goal', 0], by_key(array)['goal', 4]
        assert ball.color == label.color == LEVELS[level]
        assert label.text == 'STALLED'
        assert label.pose.position.z > ball.pose.position.z
    scene.show_refusal('', "unknown frame 'é…'")
    array = scene.message(robot, PREFIXED, None)
    check_markers(array, frames)
    assert by_key(array)['status', 0].text.startswith('refused: unknown frame')
    check_markers(scene.clear(), frames)


@pytest.mark.parametrize('name', ROBOTS)
def test_they_are_valid_in_every_configuration(name):
    robot = robot_of(name)
    arm = one(robot)
    chain, scene = arm.chain, SceneMarkers()
    scene.update(robot)
    lower = np.where(np.isfinite(chain.lower), chain.lower, -7.0)
    upper = np.where(np.isfinite(chain.upper), chain.upper, 7.0)
    # Ends and zero are where arms are singular.
    part = st.one_of(st.sampled_from([0.0, 0.5, 1.0]), st.floats(0.0, 1.0))

    @settings(max_examples=robots.samples(60), deadline=None)
    @given(st.lists(part, min_size=chain.n_joints, max_size=chain.n_joints))
    def check(parts):
        q = lower + np.array(parts) * (upper - lower)
        robot.move(arm, q)
        check_markers(scene.message(robot, NodeOptions(), two_branches), set(robot.tree.links))

    check()


def test_the_ellipsoid_is_that_of_J_J_transposed():
    chain = robots.planar(0.4, 0.3)
    q = np.array([0.3, 0.8])
    R, semi_axes = velocity_ellipsoid(chain, q, 1.0)
    J = chain.jacobian(q)[:3]
    assert R @ np.diag(semi_axes ** 2) @ R.T == pytest.approx(J @ J.T)
    assert np.linalg.det(R) == pytest.approx(1.0)
    # Yoshikawa's two-link arm: the area is l1 l2 |sin θ2|.
    assert semi_axes[0] * semi_axes[1] == pytest.approx(0.4 * 0.3 * np.sin(0.8))
    assert semi_axes[2] == 0.0


def test_a_singular_arm_has_a_flat_ellipsoid_that_is_still_there():
    chain = robots.planar(0.4, 0.3)
    (marker,) = ellipsoid_markers('base', 'manipulability', chain, np.zeros(2), 0.7)
    points = np.array([(p.x, p.y, p.z) for p in marker.points])
    thin, _, wide = sorted(points.max(axis=0))
    assert 0.0 < thin < 0.02 * wide
    assert points.min(axis=0) == pytest.approx(-points.max(axis=0))


def test_a_slide_counts_by_the_arms_size():
    q = np.array([0.1, 0.2, 0.1, 0.0])
    small, large = (velocity_ellipsoid(robots.scara(), q, size)[1].max() for size in (2.0, 4.0))
    assert (small, large) == pytest.approx((2.0, 4.0))


def test_bars_redden_near_a_limit_and_show_where_between_them_a_joint_is():
    chain = robots.planar(1.0, 1.0, 1.0, limit=2.0)
    bounded, place, near = nearness(chain, np.array([-2.0, 0.0, 1.9]))
    assert list(bounded) == [0, 1, 2]
    assert place == pytest.approx([0.0, 0.5, 0.975])
    assert near[0] == 1.0
    assert near[1] == 0.0
    assert 0.9 < near[2] < 1.0


def test_joints_without_limits_have_no_bar():
    tree = robots.planar(1.0, 1.0).tree
    robot = Robot(tree, {'': Arm(GroupSource(tree, ArmOptions()))})
    scene = SceneMarkers()
    scene.update(robot)
    assert of(scene.message(robot, NodeOptions(), None), 'limits') == []


def test_a_bars_knob_goes_with_the_joint_and_a_label_says_whose_it_is():
    robot, arm, scene = drawn('arm_6r')
    knobs = []
    for q in (arm.chain.lower, arm.chain.upper):
        robot.move(arm, q)
        markers = by_key(scene.message(robot, NodeOptions(), None))
        knobs.append(np.array([p.y for p in markers['limits', 1].points]))
        assert all(color.r > color.g for color in markers['limits', 1].colors)
    # A translucent ground hides translucent bars.
    assert all(color.a == 1.0 for color in markers['limits', 0].colors)
    length = markers['limits', 0].scale.y
    assert knobs[1] - knobs[0] == pytest.approx(np.full(6, length))
    assert [markers['limits', 2 + i].text for i in range(6)] == list(arm.chain.joint_names)


def test_ghosts_stand_on_the_base_and_end_at_the_tip():
    chain = robot_of('torso').groups[''].chain
    q = robots.random_q(chain, np.random.default_rng(3))
    places = sticks(chain, q, 1e-6)
    assert places[0] == pytest.approx(np.zeros(3))
    assert places[-1] == pytest.approx(chain.forward(q)[:3, 3])
    assert (np.linalg.norm(np.diff(places, axis=0), axis=1) > 1e-6).all()


def test_what_is_gone_is_deleted_once_and_other_robots_begin_anew():
    robot, arm, scene = drawn('arm_6r')
    scene.show(robot, arm, solved(Goal([0.1, 0.2, 0.3])), DiagnosticStatus.OK, 'ok')
    shown = {(m.ns, m.id) for m in scene.message(robot, PREFIXED, two_branches).markers}
    assert ('branches', 0) in shown
    array = scene.message(robot, PREFIXED, None)
    gone = [(m.ns, m.id) for m in array.markers if m.action == Marker.DELETE]
    assert gone == [('branches', 0), ('branches', 1)]
    assert all(m.action == Marker.ADD for m in scene.message(robot, PREFIXED, None).markers)
    other = robot_of('planar_3r')
    scene.update(other)
    array = scene.message(other, NodeOptions(), None)
    gone = {(m.ns, m.id): m.header.frame_id for m in array.markers if m.action == Marker.DELETE}
    assert ('goal', 0) in gone
    assert ('limits', 5) in gone
    assert set(gone.values()) == {'p/base_link'}
    assert {(m.ns, m.id) for m in scene.clear().markers} == {
        (m.ns, m.id) for m in array.markers if m.action == Marker.ADD}
    assert scene.clear().markers == []


def test_goal_and_trail_outlive_another_solver_but_not_another_tip():
    tree = read_model(robot_file('arm_6r'))
    scene, ends = SceneMarkers(), []
    for tip, solver in (('tool0', 'dls'), ('tool0', 'ccd'), ('link_5', 'ccd')):
        robot = Robot(tree, {'': Arm(GroupSource(tree, ArmOptions(tip_link=tip, solver=solver)))})
        scene.update(robot)
        if solver == 'dls':
            arm = one(robot)
            scene.show(robot, arm, solved(Goal([0.1, 0.2, 0.3])), DiagnosticStatus.OK, '')
        ends.append(len(of(scene.message(robot, NodeOptions(), None), 'goal')) > 0)
    assert ends == [True, True, False]


def test_the_panels_of_two_arms_are_apart():
    robot, scene = two_arms(), SceneMarkers()
    scene.update(robot)
    array = scene.message(robot, NodeOptions(), None)
    check_markers(array, set(robot.tree.links))
    markers = by_key(array)
    left, right = (markers[f'{side}/limits', 0] for side in ('left', 'right'))
    assert abs(left.points[0].y - right.points[0].y) > left.scale.y
    assert {'left/status', 'right/status', 'left/manipulability'} <= {m.ns for m in array.markers}


def test_a_trail_keeps_the_last_five_hundred_places():
    robot, arm, scene = drawn('arm_6r')
    for angle in np.linspace(-2.5, 2.5, 700):
        robot.move(arm, np.array([angle, 0.2, 0.3, 0.0, 0.0, 0.0]))
        array = scene.message(robot, NodeOptions(), None)
    (trail,) = of(array, 'trail')
    assert len(trail.points) == 2 * 499
    assert trail.points[1:-1:2] == trail.points[2::2]
    last, tip = trail.points[-1], arm.chain.forward(robot.joint_configuration(arm))[:3, 3]
    assert (last.x, last.y, last.z) == pytest.approx(tip)


def test_a_trail_is_open_where_the_tip_jumps():
    robot, arm, scene = drawn('arm_6r')
    for angle in (-1.0, -0.99, -0.98, 1.0, 1.01):
        robot.move(arm, np.array([angle, 0.2, 0.3, 0.0, 0.0, 0.0]))
        array = scene.message(robot, NodeOptions(), None)
    (trail,) = of(array, 'trail')
    lengths = [np.hypot(a.x - b.x, a.y - b.y)
               for a, b in zip(trail.points[::2], trail.points[1::2])]
    assert len(lengths) == 3
    assert max(lengths) < 0.02 * arm.size


@pytest.mark.parametrize('name', sorted({*ROBOTS} - {'planar_3r'}))  # whose joints have no limits
def test_the_panel_is_out_of_the_tips_reach_and_its_texts_do_not_overlap(name):
    robot, arm, scene = drawn(name)
    scene.show_refusal('', 'a reason of several words ' * 3)
    array = scene.message(robot, NodeOptions(), None)
    (status,) = of(array, 'status')
    tracks, _, *labels = of(array, 'limits')
    ends = np.abs([p.y for p in tracks.points]) - 0.5 * tracks.scale.y
    assert ends.min() > arm.size
    lines = status.text.split('\n')
    assert len(lines) > 1
    lowest = status.pose.position.z - 0.5 * len(lines) * 1.4 * status.scale.z
    heights = [label.pose.position.z for label in labels]
    assert max(heights) + labels[0].scale.z < lowest
    assert max(heights) < arm.size
    assert min(np.diff(heights), default=1.0) > labels[0].scale.z
    for label in labels:  # a letter is 0.55 as wide as high; texts face a camera at yaw 0.5
        width = 0.55 * len(label.text) * label.scale.z / np.cos(0.5)
        near_end = abs(label.pose.position.y) - 0.5 * width
        assert near_end > ends.max() + tracks.scale.y + 0.04 * arm.size
        assert label.scale.z > 0.03 * arm.size


@pytest.mark.parametrize(('model', 'link'), [('humanoid', 'gaze'), ('planar_3r', 'tip')])
def test_the_texts_of_a_figure_are_in_proportion_to_it(model, link):
    robot, scene = built(model_path=str(robot_file(model)), tasks=('a',), a__type='position',
                         a__link=link).robot, SceneMarkers()
    scene.update(robot)
    (status,) = of(scene.message(robot, NodeOptions(), None), 'status')
    assert 0.02 < status.scale.z / robot.groups[''].size < 0.05
    frames = robot.groups[''].body.forward(robot.joint_configuration(robot.groups['']))
    above = status.pose.position.z - max(T[2, 3] for T in frames.values())
    lines = 0.5 * (status.text.count('\n') + 1) * 1.4 * status.scale.z
    assert 0.08 < (above - lines) / robot.groups[''].size < 0.15


@pytest.mark.parametrize('task', [
    CenterOfMass([0.1, 0.2, np.nan]), Pose('hand', np.eye(4)), LookAt('hand', [1, 0, 0], [1, 2, 3]),
    AlignAxis('hand', [1, 0, 0], [0, 0, 1]), Force('hand', [1, 0, 0]),
    PointOnLine('hand', [0, 0, 0], [0, 0, 1], [1, 0, 0]),
    HalfSpace('hand', [0, 0, 0], [0, 0, 1], [0, 0, 1])], ids=lambda task: type(task).__name__)
def test_the_markers_of_a_task_are_in_proportion_to_the_figure(task):
    body = task_bodies.figure()
    frames = BodyFrames(body, np.zeros(body.n_joints))

    def scales(size):
        builder = TaskMarkers('world', 'a', size, DiagnosticStatus.OK, '')
        return [(marker.type, np.array([marker.scale.x, marker.scale.y, marker.scale.z]))
                for marker in builder.markers(task, frames)]
    once, twice = scales(1.0), scales(2.0)
    assert once
    for (kind, scale), (_, larger) in zip(once, twice):
        assert larger == pytest.approx(2.0 * scale)
        if kind == Marker.ARROW:  # its shaft, and the width and the length of its head
            assert scale[0] < scale[1] < 0.05
            assert scale[2] < 0.05


def test_the_reason_of_a_goal_is_above_the_handle_there():
    robot, arm, scene = drawn('arm_6r')
    T = arm.chain.forward(arm.start)
    scene.show(robot, arm, solved(Goal.from_pose(T), 'STALLED'), DiagnosticStatus.ERROR, '')
    label = by_key(scene.message(robot, NodeOptions(), None))['goal', 4]
    # The arrows of an interactive marker end at nine tenths of its scale.
    handle = handle_marker('tip', matrix_to_pose(T), Look(
        'base_link', arm.size, (1.0,) * 6, (), '', None))
    assert label.pose.position.z - 0.5 * label.scale.z > T[2, 3] + 0.9 * handle.scale


def test_a_forgotten_goal_is_deleted_and_one_of_another_solver_has_no_status():
    robot, scene = robot_of('arm_6r', 'auto'), SceneMarkers()
    arm = one(robot)
    other = Robot(robot.tree, {'': Arm(GroupSource(robot.tree, ArmOptions(solver='ccd')))})
    for forget, action in ((lambda: scene.forget_goals(robot.groups.values()), Marker.DELETE),
                           (lambda: scene.update(other), Marker.ADD)):
        scene.update(robot)
        scene.show(robot, arm, solved(Goal(arm.chain.forward(arm.start)[:3, 3])),
                   DiagnosticStatus.OK, 'auto: the goal is met')
        before = by_key(scene.message(robot, NodeOptions(), None))
        assert before['goal', 0].color == GREEN
        assert before['goal', 4].text == 'CONVERGED'
        forget()
        after = by_key(scene.message(robot, NodeOptions(), None))
        assert after['goal', 0].action == action
        assert after['goal', 0].color != GREEN
        assert after['goal', 4].action == Marker.DELETE
        assert 'no goal yet' in {marker.text for marker in after.values()}
