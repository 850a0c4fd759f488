"""The controller of an arm: goals, paths and motions, on a clock of the test."""

import itertools
import sys
from types import SimpleNamespace

import numpy as np
import pytest

import robots
from harness.controller_rig import CHAIN, FAR, START, Rig, moving, near, path
from harness.goal_runs import run
from ik_node import Goal, KinematicTree, make_solver
from ik_node.control import motion_executor
from ik_node.control.group import TaskGoal
from ik_node.control.worker import LongSearch
from ik_node.support.exceptions import UnsupportedError


def counted(monkeypatch, arm):
    """Count the calls of the arm's solver."""
    calls, solve = [], arm.solver.solve
    monkeypatch.setattr(arm, 'solver', SimpleNamespace(
        collisions=None, solve=lambda *given: calls.append(1) or solve(*given)))
    return calls


def test_joints_jump_to_a_goal_that_is_met():
    rig = Rig()
    outcome = rig.go(near(0.1))
    assert (outcome.accepted, outcome.duration, rig.controller.has_moved) == (True, None, True)
    assert CHAIN.forward(rig.q) == pytest.approx(near(0.1).pose, abs=5e-6)
    assert rig.controller.goal is outcome.goals[0].target


@moving
def test_a_jump_ends_the_motion_that_was_begun_before_joints_jump(motion):
    rig = Rig(motion)
    duration = rig.go(near(0.0, 0.1)).duration
    rig.advance(0.3 * duration)
    rig.replace('jump')
    assert not rig.go(FAR).accepted
    rig.advance(0.3 * duration)  # it goes on after a goal that is not met
    assert rig.controller.motion is not None
    assert rig.go(near(0.1)).accepted
    rig.advance(duration)
    assert CHAIN.forward(rig.q) == pytest.approx(near(0.1).pose, abs=5e-6)


def test_joints_hold_where_a_goal_is_not_met_unless_the_closest_is_accepted():
    rig = Rig()
    outcome = rig.go(FAR)
    assert (outcome.accepted, rig.controller.has_moved) == (False, False)
    assert rig.q.tolist() == START.tolist()
    rig.controller.accept_closest = True
    outcome = rig.go(Goal(position=(9.0, 0.1, 0.0)))
    assert outcome.accepted
    assert not outcome.result.success
    assert CHAIN.forward(rig.q)[0, 3] > CHAIN.forward(START)[0, 3]


@moving
def test_a_motion_goes_to_the_closest_configuration_where_that_is_accepted(motion):
    rig = Rig(motion)
    duration = rig.go(near(0.0, 0.1)).duration
    assert not rig.go(FAR).accepted
    assert rig.controller.motion.duration == pytest.approx(duration)  # it goes on
    rig.controller.accept_closest = True
    rig.advance(rig.go(FAR).duration + 1e-9)
    assert CHAIN.forward(rig.q)[0, 3] > CHAIN.forward(START)[0, 3] + 0.1


@pytest.mark.parametrize(('robot', 'weights', 'is_point'), [
    ('planar_3r', (1.0, 1.0, 0.0, 0.0, 0.0, 1.0), False),
    ('scara', (1.0, 1.0, 1.0, 0.0, 0.0, 1.0), False), ('scara', 'auto', False),
    ('planar_3r', (1.0, 1.0, 0.0, 0.0, 0.0, 1.0), True),
    ('planar_3r', (0.0, 0.0, 0.0, 0.0, 0.0, 1.0), True)])
def test_task_weights_select_the_axes_of_goals_and_of_points_all_where_they_select_none(
        robot, weights, is_point):
    tree = KinematicTree.from_urdf(robots.OWN / f'{robot}.urdf')
    chain = tree.chain()
    T = chain.forward(chain.neutral() + 0.1)
    if robot == 'scara':
        T[:3, :3] = T[:3, :3] @ [[1, 0, 0], [0, 0.8, -0.6], [0, 0.6, 0.8]]
    elif weights[0]:
        T[2, 3] += 3.0
    for given, met in (((1.0,) * 6, is_point and not weights[0]), (weights, True)):
        rig = Rig(tree=tree, start=chain.neutral(), task_weights=given)
        goal = rig.controller.group.make_goal('', T, is_point)
        assert run(rig.controller.go([goal])).accepted is met
    off = T[:3, :3].T @ (chain.forward(rig.q)[:3, 3] - T[:3, 3])
    assert off[:3 if robot == 'scara' else 2] == pytest.approx(0.0, abs=5e-6)


def test_a_goal_given_again_at_its_solution_is_not_solved_again(monkeypatch):
    rig = Rig()
    calls = counted(monkeypatch, rig.controller.group)
    first = rig.go(near(0.1))
    assert rig.go(near(0.1)).result is first.result
    assert len(calls) == 1
    rig.robot.move(rig.controller.group, START)
    rig.go(near(0.1))
    assert len(calls) == 2


@pytest.mark.parametrize(('changed', 'kept'), [
    ({'solver': 'ccd'}, True), ({'speed': 0.5}, True), ({'start_pose': START}, True),
    ({'tip_link': CHAIN.links[-2]}, False), ({'motion': 'cartesian'}, False),
    ({'tree': KinematicTree.from_urdf(robots.OWN / 'arm_6r.urdf')}, False)],
    ids=['solver', 'speed', 'start_pose', 'tip_link', 'motion', 'tree'])
def test_goal_and_path_are_kept_as_long_as_a_change_does_not_concern_them(changed, kept):
    rig = Rig()
    goal = rig.go(near(0.1)).goals[0].target
    rig.controller.waypoints.extend(path(near(0.1), near(0.2)))
    rig.replace(**changed)
    assert len(rig.controller.waypoints) == (2 if kept else 0)
    assert (rig.controller.goal is goal) is (kept or 'motion' in changed)


@moving
def test_a_motion_arrives_after_its_duration_and_is_published(motion):
    rig = Rig(motion)
    outcome = rig.go(near(0.0, 0.1))
    assert outcome.duration > 0.1
    assert rig.q.tolist() == START.tolist()
    rig.advance(0.5 * outcome.duration)
    assert rig.controller.motion is not None
    again = rig.go(near(0.0, 0.1))  # it is moving there
    assert again.duration == pytest.approx(0.5 * outcome.duration)
    rig.advance(0.5 * outcome.duration + 1e-9)
    assert rig.controller.motion is None
    assert CHAIN.forward(rig.q) == pytest.approx(near(0.0, 0.1).pose, abs=5e-6)
    assert [m.duration for m in rig.sink.motions] == pytest.approx([outcome.duration])


@moving
def test_an_arm_at_rest_starts_after_planning_however_long_that_takes(monkeypatch, motion):
    rig = Rig(motion)
    solve = rig.controller.group.solver.solve

    def slow(*arguments):
        rig.now += 0.4
        return solve(*arguments)
    monkeypatch.setattr(rig.controller.group.solver, 'solve', slow)
    duration = rig.go(near(y=0.2)).duration
    assert rig.now >= 0.4
    assert rig.q == pytest.approx(START, abs=1e-9)
    rig.advance(0.9 * duration)
    assert rig.controller.motion is not None
    rig.advance(0.1 * duration + 1e-9)
    assert rig.controller.motion is None


@moving
def test_a_moving_arm_has_moved_on_after_planning(monkeypatch, motion):
    rig = Rig(motion)
    rig.go(near(y=0.2))
    rig.advance(0.3)
    solve, before = rig.controller.group.solver.solve, rig.q

    def slow(*arguments):
        rig.now += 0.01
        rig.controller.advance(rig.now)
        return solve(*arguments)
    monkeypatch.setattr(rig.controller.group.solver, 'solve', slow)
    rig.go(near(y=0.2, z=-0.1))
    assert np.abs(rig.q - before).max() > 1e-3


@moving
@pytest.mark.parametrize('changed', [
    {'solver': 'ccd', 'speed': 0.5}, {'tip_link': CHAIN.links[-2]}], ids=['options', 'tip'])
def test_a_motion_goes_on_where_a_change_leaves_its_joints_the_same(motion, changed):
    rig = Rig(motion)
    duration = rig.go(near(0.0, 0.1)).duration
    rig.advance(0.5 * duration)
    rig.replace(motion, **changed)
    rig.advance(0.5 * duration + 1e-9)
    assert CHAIN.forward(rig.q) == pytest.approx(near(0.0, 0.1).pose, abs=5e-6)


@moving
def test_joints_stop_where_they_are_when_the_chain_changes(motion):
    rig = Rig(motion)
    duration = rig.go(near(0.0, 0.1)).duration
    rig.advance(0.5 * duration)
    before = rig.q
    rig.replace(motion, tip_link=CHAIN.links[4])
    assert rig.controller.motion is None
    assert rig.q.tolist() == before[:len(rig.q)].tolist()


@moving
def test_freezing_brakes_within_the_limits_from_where_the_arm_is(motion):
    rig = Rig(motion)
    duration = rig.go(near(0.0, 0.2)).duration
    rig.advance(0.5 * duration)
    braking = run(rig.controller.halt())
    assert 0.0 < braking < duration
    rig.advance(0.5 * braking)
    before = rig.q
    rig.controller.freeze()
    ramp, limits = rig.sink.motions[-1], rig.controller.group.limits
    assert ramp is rig.controller.motion
    assert ramp.at(0.0).position == pytest.approx(before, abs=1e-9)
    assert 0.0 < ramp.duration <= 0.5 * braking + 1e-6
    velocity, acceleration, _ = ramp.peaks()
    assert (velocity <= limits.velocity * 1.001).all()
    assert (acceleration <= limits.acceleration * 1.001).all()
    rig.advance(1.0)
    assert rig.controller.motion is None
    assert rig.q.tolist() == ramp.end.tolist()


def test_what_is_accepted_is_decided_when_the_goal_begins():
    rig = Rig()
    goal = rig.controller.go([TaskGoal('', FAR)])
    search = goal.send(None)
    rig.controller.accept_closest = True  # a parameter, during the search
    with pytest.raises(StopIteration) as ended:
        goal.send(search())
    assert not ended.value.value.accepted
    assert rig.q.tolist() == START.tolist()
    assert rig.go(FAR).accepted
    assert CHAIN.forward(rig.q)[0, 3] > CHAIN.forward(START)[0, 3]


def test_a_solver_without_closest_configurations_meets_what_it_can():
    rig = Rig(solver='optimization')
    rig.controller.group.solver = make_solver(
        'optimization', CHAIN, minimizer='slsqp', linear_constraints=[1, 0, 0, 0, 0, 0, -2, 2])
    rig.controller.accept_closest = True
    assert rig.go(near(0.05)).result.success
    with pytest.raises(UnsupportedError):
        rig.go(FAR)


@moving
def test_a_motion_of_no_length_takes_no_time(motion):
    rig = Rig(motion)
    clock = itertools.count(step=1e-3)
    rig.controller._clock = lambda: next(clock)
    assert run(rig.controller.go([TaskGoal('', near())])).duration == 0.0


@pytest.mark.parametrize('change', ['many knots', 'no splines', 'neither'])
def test_what_takes_long_to_brake_is_planned_beside_the_calling_thread(monkeypatch, change):
    pytest.importorskip('ruckig', reason='ruckig is not installed (make test brings it from PyPI)')
    rig, imported = Rig('joint'), []
    monkeypatch.setattr(motion_executor, 'start_thread', lambda work, name: imported.append(work))
    if change == 'no splines':
        monkeypatch.delitem(sys.modules, 'scipy.interpolate')
    if change == 'many knots':
        monkeypatch.setattr(motion_executor, '_MANY', 3)
    duration = rig.go(near(y=-0.4)).duration
    assert len(imported) == (change == 'no splines')  # while the arm moves, not before
    rig.advance(0.3 * duration)
    braking = rig.controller.halt()
    assert isinstance(braking.send(None), LongSearch) == (change != 'neither')
    braking.close()
