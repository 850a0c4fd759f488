"""Goals of several tasks that have arrived by the time of a solve are solved together."""

import math
import threading
from types import SimpleNamespace

import numpy as np
import pytest
from geometry_msgs.msg import PointStamped

from harness.figure_values import built
from harness.goal_runs import controller
from harness.goals_here import GoalsHere
from ik_node.control import worker as worker_module
from ik_node.control.options import NodeOptions
from ik_node.control.worker import NEWER, START, Worker
from ik_node.ros.conversions import array_to_point
from ik_node.support import clock
from ik_node.support.exceptions import InputError

PALMS = {'a': 'left_palm', 'b': 'right_palm'}


class Queue:
    """A subscription whose messages wait in a queue."""

    def __init__(self, *messages):
        self.messages = list(messages)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def take_message(self, kind, raw):
        return (self.messages.pop(), {}) if self.messages else None


@pytest.fixture(autouse=True)
def threaded(monkeypatch):
    """No search is tried in the calling thread first."""
    monkeypatch.setattr(worker_module, 'LongSearch', object)


class Rig:
    """The goals of two tasks, whose outcomes are collected."""

    def __init__(self, *waiting, oldest=None, worker=None):
        self.robot = built(tasks=tuple(PALMS), **{
            f'{name}__{field}': value for name, link in PALMS.items()
            for field, value in (('type', 'position'), ('link', link))}).robot
        self.controller = controller(self.robot)
        self.oldest = oldest
        self.goals = GoalsHere(
            self.robot, NodeOptions(max_goal_age=1.0), self.controller, worker)
        self.goals._check_age = self._check_age
        self.outcomes, self.refused = self.goals.outcomes, self.goals.refused
        self.queue = Queue(*waiting)
        self.goals._streams = {('b', PointStamped): SimpleNamespace(handle=self.queue)}

    def _check_age(self, header):
        if header.stamp.sec == self.oldest:
            raise InputError('too old')

    def place(self, name):
        frames = self.robot.groups[''].body.forward(
            self.robot.joint_configuration(self.robot.groups['']))
        return frames[PALMS[name]][:3, 3]


def goal(p, frame='', second=0):
    message = PointStamped(point=array_to_point(p))
    message.header.frame_id, message.header.stamp.sec = frame, second
    return message


LEFT, RIGHT = [0.2, 0.3, 0.1], [0.25, -0.3, 0.2]


def test_two_goals_are_one_solve():
    rig = Rig(goal(RIGHT))
    rig.goals.take('a', goal(LEFT))
    assert [[goal.task for goal in outcome.goals] for outcome in rig.outcomes] == [['a', 'b']]
    assert rig.place('a') == pytest.approx(LEFT, abs=2e-6)
    assert rig.place('b') == pytest.approx(RIGHT, abs=2e-6)
    assert not rig.queue.messages


@pytest.mark.parametrize(('second', 'reason'), [
    (goal(RIGHT, 'nowhere'), "unknown frame 'nowhere'"),
    (goal([np.nan, 0.0, 0.0]), 'finite'), (goal(RIGHT, second=7), 'too old')])
def test_one_that_is_refused_leaves_the_other(second, reason):
    rig = Rig(second, oldest=7)
    rig.goals.take('a', goal(LEFT))
    assert rig.place('a') == pytest.approx(LEFT, abs=2e-6)
    assert [[goal.task for goal in outcome.goals] for outcome in rig.outcomes] == [['a']]
    assert [(name, reason in text) for name, text in rig.refused] == [('b', True)]


@pytest.mark.parametrize(('first', 'second', 'accepted'), [
    (LEFT, [9.0, 0.0, 0.0], [True, False]), ([9.0, 0.0, 0.0], RIGHT, [False, True])])
def test_goals_that_are_not_met_together_are_solved_one_by_one(first, second, accepted):
    rig = Rig(goal(second))
    rig.goals.take('a', goal(first))
    assert [outcome.accepted for outcome in rig.outcomes] == accepted
    assert [[goal.task for goal in outcome.goals] for outcome in rig.outcomes] == [['a'], ['b']]


@pytest.mark.parametrize('most', [0, 1])
def test_goals_taken_together_with_one_whose_solve_raises_are_not_lost(monkeypatch, most):
    rig = Rig(goal(RIGHT))
    go = rig.controller.go

    def fail(goals):
        if len(goals) > most and goals[0].task == 'a':
            raise ZeroDivisionError('a defect')
        return go(goals)
    monkeypatch.setattr(rig.controller, 'go', fail)
    rig.goals.take('a', goal(LEFT))
    assert rig.place('b') == pytest.approx(RIGHT, abs=2e-6)
    handled = [outcome.goals[0].task for outcome in rig.outcomes]
    assert handled == ['a', 'b'][1 - most:]
    assert rig.refused == [('a', 'a defect')][most:]


@pytest.fixture
def busy(monkeypatch):
    """A rig whose first solve goes on until it is cancelled."""
    monkeypatch.setattr(worker_module, '_SHORT_TURN', 0.0)
    woken = threading.Semaphore(0)
    rig = Rig(worker=Worker(woken.release))
    rig.woken = woken
    solve, first, began = rig.robot.groups[''].solver.solve, [], threading.Event()

    def once(q0):
        if not first:
            first.append(q0)
            began.set()
            while not clock.is_over(math.inf):
                pass
        return solve(q0)
    monkeypatch.setattr(rig.robot.groups[''].solver, 'solve', once)
    rig.goals.take('a', goal(LEFT))
    assert began.wait(30.0)
    yield rig
    rig.goals.worker.close('the test is over')


def finish(rig):
    """Go on until no goal is left."""
    worker = rig.goals.worker
    while any(worker.is_busy(group) for group in worker._groups):
        assert rig.woken.acquire(timeout=30.0)
        worker.resume()


def answered(rig):
    return [[goal.task for goal in outcome.goals] for outcome in rig.outcomes]


def test_a_goal_of_another_task_joins_one_that_is_searched_for(busy):
    busy.goals.take('b', goal(RIGHT))
    finish(busy)
    assert answered(busy) == [['a', 'b']]
    assert not busy.refused
    assert busy.place('a') == pytest.approx(LEFT, abs=2e-6)
    assert busy.place('b') == pytest.approx(RIGHT, abs=2e-6)


@pytest.mark.parametrize(('turn', 'refused', 'rounds'), [
    (0.0, [('a', NEWER)], [['a', 'b']]), (60.0, [], [['a', 'b'], ['a']])])
def test_a_newer_goal_replaces_one_of_the_same_task_unless_that_is_searched_for(
        busy, monkeypatch, turn, refused, rounds):
    monkeypatch.setattr(worker_module, '_LONG_TURN', turn)
    busy.goals.take('b', goal(RIGHT))
    busy.goals.take('a', goal([0.25, 0.25, 0.1]))
    finish(busy)
    assert busy.refused == refused
    assert answered(busy) == rounds
    assert busy.place('a') == pytest.approx([0.25, 0.25, 0.1], abs=2e-6)


def test_a_goal_of_the_whole_body_replaces_all(busy):
    def joints():
        yield START
    busy.goals.take('b', goal(RIGHT))
    busy.goals.worker.cancel(NEWER, ('goals', ''))
    busy.goals.worker.begin(('goals', ''), joints())
    finish(busy)
    assert sorted(busy.refused) == [('a', NEWER), ('b', NEWER)]
    busy.goals.take('a', goal(LEFT))
    finish(busy)
    assert answered(busy) == [['a']]


def test_cancelled_each_is_refused_and_no_target_has_moved(busy):
    figure = busy.robot.groups['']
    before = [figure.tasks[name].target.tolist() for name in PALMS]
    busy.goals.worker.cancel_all('the node has been disabled')
    assert busy.refused == [('a', 'the node has been disabled')]
    assert [figure.tasks[name].target.tolist() for name in PALMS] == before
    busy.goals.take('b', goal(RIGHT))
    finish(busy)
    assert answered(busy) == [['b']]
    assert busy.place('b') == pytest.approx(RIGHT, abs=2e-6)
