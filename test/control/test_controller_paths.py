"""The controller of an arm: paths and lines, and motions that are planned while others go on."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import robots
from compiled import COMPILED
from harness.controller_rig import CHAIN, FAR, START, Rig, moving, near, path
from harness.goal_runs import run
from ik_node import Goal, make_solver
from ik_node.control import motion_executor
from ik_node.control.worker import LongSearch
from ik_node.motion import cartesian_motion
from ik_node.motion.interpolation import between_poses
from ik_node.support.exceptions import InputError, MotionError


@moving
def test_a_path_is_one_motion_and_refused_with_the_place_that_is_not_met(motion):
    rig = Rig(motion)
    outcome = run(rig.controller.go_through(path(near(0.0, 0.05), near(0.0, 0.1))))
    assert len(rig.sink.motions) == 1
    rig.advance(outcome.duration + 1e-9)
    assert CHAIN.forward(rig.q) == pytest.approx(near(0.0, 0.1).pose, abs=5e-6)
    with pytest.raises(InputError, match='waypoint 2: '):
        run(rig.controller.go_through(path(near(), FAR)))
    assert rig.controller.motion is None


@moving
def test_a_path_of_one_pose_begins_on_the_branch_that_the_arm_is_on(motion):
    for q in make_solver('analytic', CHAIN).solve_all(near().pose):
        rig = Rig(motion, start=q, solver='analytic')
        rig.advance(run(rig.controller.go_through(path(near(0.01)))).duration + 1e-9)
        assert rig.q == pytest.approx(q, abs=0.2)


# Knots of a smooth path within the limits, found at random. Solved pose by pose, each from the one
# before, it runs into a limit, and joints jump.
KNOTS = [[2.709, -1.592, -2.481, 1.185, -1.127, -1.551],
         [1.719, -0.883, -2.655, 1.673, -0.384, 0.012],
         [1.574, -0.174, -1.507, 0.121, -0.570, 1.368],
         [-0.249, -0.635, -0.130, -2.176, -2.835, 4.057]]


def test_a_path_stays_on_the_branch_that_leads_to_its_end():
    rig = Rig()
    joints = CubicSpline(np.linspace(0.0, 1.0, 4), KNOTS)(np.linspace(0.0, 1.0, 40))
    assert np.abs(np.diff(joints, axis=0)).max() < 0.3
    goals = [Goal.from_pose(CHAIN.forward(q)) for q in joints]
    by_pose, solver = [joints[0]], rig.controller.group.solver
    for goal in goals:
        by_pose.append(solver.solve(goal, by_pose[-1]).q)
    assert np.abs(np.diff(by_pose, axis=0)).max() > 1.0
    rig.robot.move(rig.controller.group, joints[0])
    steps = []
    for waypoint in run(rig.controller.with_guesses(path(*goals))):
        before = rig.q
        assert run(rig.controller.go([waypoint.goal], waypoint)).accepted
        steps.append(np.abs(rig.q - before).max())
    assert max(steps) < 0.5


@pytest.mark.parametrize(('count', 'whole'), [(1, False), (2, True), (500, True), (501, False)])
def test_paths_of_up_to_500_poses_are_chosen_as_a_whole(monkeypatch, count, whole):
    rig = Rig()
    monkeypatch.setattr(
        rig.controller.group.solver, 'solve_path', lambda goals, *_: SimpleNamespace(
            q=[START] * len(goals), success=[True] * len(goals)))
    waypoints = run(rig.controller.with_guesses(path(*[near()] * count)))
    assert [waypoint.q0 is not None for waypoint in waypoints] == [whole] * count


def test_a_waypoint_that_the_path_does_not_meet_has_no_guess_of_its_own():
    rig = Rig()
    goals = [Goal.from_pose(CHAIN.forward(q)) for q in np.linspace(START, START + 0.2, 10)]
    far = goals[4].pose.copy()
    far[:3, 3] *= 50.0
    goals[4] = Goal.from_pose(far)
    found = run(rig.controller.with_guesses(path(*goals)))
    guesses = [waypoint.q0 for waypoint in found]
    assert [guess is None for guess in guesses] == [k == 4 for k in range(10)]


# A configuration of the 7R arm, and a pose. On the straight line between them the nearest values of
# the redundancy lead to a limit; others lead to the end.
SEVEN = robots.tree('arm_7r')
BEGIN = np.array([-1.39, -1.343, -1.018, -0.609, 2.051, 0.543, -2.079])
END = Goal((0.081, 0.5, 1.019), (0.1231, 0.3319, 0.8909, -0.2844))


@pytest.mark.skipif(not COMPILED, reason='takes minutes as plain Python')
def test_a_redundant_arm_keeps_a_line_that_breaks_pose_by_pose():
    rig = Rig('cartesian', SEVEN, BEGIN, solver='auto')
    arm, q, steps = rig.controller.group, BEGIN, []
    first, nearest = arm.chain.forward(BEGIN), make_solver('analytic', arm.chain)
    for T in between_poses(first, END.pose, np.linspace(0.0, 1.0, 300)):
        before, q = q, nearest.solve(T, q).q
        steps.append(np.abs(q - before).max())
    assert max(steps) > 1.0
    duration = rig.go(END).duration
    line, before = END.pose[:3, 3] - first[:3, 3], rig.q
    for _ in range(100):
        rig.advance(0.01 * duration)
        off = arm.chain.forward(rig.q)[:3, 3] - first[:3, 3]
        assert np.linalg.norm(np.cross(off, line)) / np.linalg.norm(line) < 1.1e-4
        assert (np.abs(rig.q - before) <= 0.01 * duration * arm.limits.velocity * 1.00001).all()
        before = rig.q
    rig.advance(1e-9)
    assert rig.controller.motion is None
    assert arm.chain.forward(rig.q) == pytest.approx(END.pose, abs=5e-6)


def test_a_line_that_no_redundancy_keeps_is_refused_with_its_place_and_the_arm_stays():
    # The tip comes no nearer to the shoulder than 1 - 0.3 - 0.3.
    chain, q0 = robots.planar(1.0, 0.3, 0.3), np.array([-0.3, 0.8, 0.7])
    rig = Rig('cartesian', chain.tree, q0)
    start = chain.forward(q0)[:3, 3]
    radius = np.linalg.norm(start)
    with pytest.raises(MotionError, match='the path cannot be followed beyond') as caught:
        rig.go(Goal(-start, weights=[1, 1, 0, 0, 0, 0]))
    assert caught.value.part == pytest.approx((radius - 0.4) / (2.0 * radius), abs=1e-3)
    assert rig.controller.motion is None
    assert rig.q.tolist() == q0.tolist()


def test_a_path_and_its_motion_are_left_to_the_thread_of_the_worker():
    rig = Rig('joint')
    goal = rig.controller.go_through(path(*(near(0.0, 0.0004 * k) for k in range(600))))
    work = None
    for _ in ('solve', 'plan'):
        work = goal.send(None if work is None else work())
        assert isinstance(work, LongSearch)
        assert not rig.sink.motions
    with pytest.raises(StopIteration):
        goal.send(work())
    assert len(rig.sink.motions) == 1


def test_a_motion_is_planned_anew_where_another_has_begun_meanwhile(monkeypatch):
    rig, planned = Rig('joint'), []
    rig.go(near(y=0.2))
    rig.advance(0.1)

    def plan(*arguments):
        planned.append(arguments)
        if len(planned) == 1:
            rig.advance(0.01)
            run(rig.controller.halt())
        return planner(*arguments)
    planner = motion_executor.joint_motion_through
    monkeypatch.setattr(motion_executor, 'joint_motion_through', plan)
    outcome = run(rig.controller.go_through(path(near(y=0.1), near(y=0.1, z=-0.1))))
    assert len(planned) == 2
    steps = np.diff([rig.q, *watched(rig, outcome.duration + 0.1)], axis=0)
    assert np.abs(np.diff(steps, axis=0)).max() < 1e-4
    assert CHAIN.forward(rig.q) == pytest.approx(near(y=0.1, z=-0.1).pose, abs=5e-6)


def slow_planning(monkeypatch, rig, took):
    """Let the motion of the tip be planned for a time, s, during which joint states go on."""
    planned = []

    def plan(*arguments):
        planned.append(arguments)
        for _ in range(10):
            rig.advance(0.1 * took)
        return planner(*arguments)
    planner = cartesian_motion.cartesian_motion
    monkeypatch.setattr(cartesian_motion, 'cartesian_motion', plan)
    return planned


def watched(rig, seconds, step=1e-3):
    """Let time pass; return the joint values (k, n) every millisecond."""
    found = []
    for _ in range(round(seconds / step)):
        rig.advance(step)
        found.append(rig.q)
    return np.array(found)


@pytest.mark.parametrize(('left', 'took', 'plans'), [
    (None, 0.01, 1), (None, 0.1, 2), (0.05, 0.1, 2)], ids=['goes on', 'anew', 'ends meanwhile'])
def test_the_current_motion_goes_on_while_the_next_is_planned_and_leads_into_it(
        monkeypatch, left, took, plans):
    rig = Rig('cartesian')
    duration = rig.go(near(y=0.2)).duration
    rig.advance(0.3 if left is None else duration - left)
    planned = slow_planning(monkeypatch, rig, took)
    before, began = rig.q, rig.now
    outcome = rig.go(near(y=0.2, z=-0.1))
    assert len(planned) == plans  # anew from farther ahead, where the first took too long
    steps = np.diff([rig.q, *watched(rig, outcome.duration + 0.1)], axis=0)
    assert np.abs(rig.controller.group.limits.velocity * 1e-3).max() > np.abs(steps).max()
    assert np.abs(np.diff(steps, axis=0)).max() < 1e-4  # no jump of the velocity
    assert CHAIN.forward(rig.q) == pytest.approx(near(y=0.2, z=-0.1).pose, abs=5e-6)
    assert rig.now - began > outcome.duration
    assert np.abs(rig.q - before).max() > 1e-3
