from types import SimpleNamespace

import numpy as np
import pytest

from harness.trajectory_controller import TrajectoryController

NAMES = ('a', 'b')
PERIOD = 10_000_000
START = 50_000_000_000   # ns


def duration(seconds):
    sec, nanosec = divmod(round(1e9 * seconds), 10 ** 9)
    return SimpleNamespace(sec=sec, nanosec=nanosec)


def point(time, q, v=(), a=(), effort=()):
    return SimpleNamespace(time_from_start=duration(time), positions=q, velocities=v,
                           accelerations=a, effort=effort)


def trajectory(*points, stamp=0.0, names=NAMES):
    return SimpleNamespace(header=SimpleNamespace(stamp=duration(stamp)), joint_names=list(names),
                           points=list(points))


def made(q=(0.0, 0.0), **options):
    """Return a controller that has run a cycle at START."""
    controller = TrajectoryController(NAMES, np.array(q), PERIOD, **options)
    controller.update(START)
    return controller


def run(controller, seconds):
    """Run cycles for a time; return their times from START, s, and commands (k, n)."""
    first, begin = len(controller.commands), controller._last
    for time in range(begin + PERIOD, begin + round(1e9 * seconds) + 1, PERIOD):
        controller.update(time)
    times = np.array([time for time, _ in controller.commands[first:]])
    return 1e-9 * (times - START), np.array([q for _, q in controller.commands[first:]])


REST = (0.0, 0.0)
REFUSED = [
    (trajectory(point(1.0, [1.0]), names=['a']), "don't match"),
    (trajectory(point(1.0, [1.0, 1.0, 1.0]), names=['a', 'b', 'c']), "don't match"),
    (trajectory(point(1.0, [1.0, 1.0]), names=['a', 'c']), 'Incoming joint c'),
    (trajectory(), 'Empty trajectory'),
    (trajectory(point(1.0, [1.0, 1.0], [0.0, 1e-6])), 'of joint b is not zero'),
    (trajectory(point(1.0, REST), stamp=48.9), 'ends in the past'),
    (trajectory(point(1.0, REST), point(1.0, REST)), 'not strictly increasing'),
    (trajectory(point(1.0, [1.0])), 'positions'),
    (trajectory(point(1.0, [], REST)), 'positions'),
    (trajectory(point(1.0, REST, [0.0])), 'velocities'),
    (trajectory(point(1.0, REST, REST, [0.0])), 'accelerations'),
    (trajectory(point(1.0, REST, effort=REST)), 'effort')]


@pytest.mark.parametrize(('message', 'reason'), REFUSED)
def test_what_the_controller_refuses_changes_nothing(message, reason):
    controller = made()
    assert reason in controller.receive(message, START)
    assert len(controller.refused) == 1
    assert not run(controller, 0.1)[1].any()


def polynomial(degree):
    """Return what gives q, v and a (2,) at t of a motion from rest at t = 0."""
    c = np.random.default_rng(degree).normal(size=(2, degree + 1)) * ([0, 0] + [1] * (degree - 1))
    one = [np.polynomial.Polynomial(row) for row in c]
    return lambda t: [np.array([p.deriv(k)(t) for p in one]) for k in range(3)]


@pytest.mark.parametrize('degree', [1, 3, 5])
def test_between_points_it_interpolates_by_what_they_have(degree):
    # Of degree 1 a straight line between positions, which are all that the points have.
    motion = polynomial(max(degree, 2))
    controller = made()
    times = [0.3, 0.5, 1.0]
    points = [point(t, *motion(t)[:(degree + 1) // 2]) for t in times]
    points.append(point(9.0, *[REST] * ((degree + 1) // 2)))  # it ends at rest
    controller.receive(trajectory(*points), START)
    at, q = run(controller, 1.0)
    at -= at[0]  # it begins with the first cycle, and commands are for the next
    after = at + 1e-9 * PERIOD
    k = (after > times[0]) & (after < times[-1])
    expected = np.array([motion(t)[0] for t in after[k]])
    if degree == 1:
        expected = np.transpose([np.interp(after[k], times, column) for column in np.transpose(
            [motion(t)[0] for t in times])])
    assert q[k] == pytest.approx(expected, abs=1e-9)


def test_a_stamp_of_zero_begins_at_receipt_and_one_in_the_past_in_the_midst():
    line = [point(0.1 * k, [0.1 * k, 0.0]) for k in range(1, 11)]
    now, past = made(), made()
    now.receive(trajectory(*line), START)
    past.receive(trajectory(*line, stamp=49.5), START)
    assert run(now, 0.01)[1][0] == pytest.approx([0.01, 0.0])
    assert run(past, 0.01)[1][0] == pytest.approx([0.52, 0.0])  # at once, wherever the joints are


def test_a_stamp_in_the_future_is_interpolated_from_where_the_joints_are_at_receipt():
    controller = made()
    controller.receive(trajectory(point(0.01, [1.0, 0.0]), stamp=50.5), START)
    at, q = run(controller, 0.6)
    line = np.interp(at + 0.01, [at[0], 50.51 - 50.0], [0.0, 1.0])
    assert q[:, 0] == pytest.approx(line, abs=1e-9)


def test_a_trajectory_replaces_another_from_the_measured_state():
    controller = made(drives=lambda command: command - 0.1)  # which are always behind
    controller.receive(trajectory(point(1.0, [1.0, 1.0])), START)
    before = run(controller, 0.5)[1][-1]
    controller.receive(trajectory(point(10.0, [1.0, 1.0])), controller._last)
    assert run(controller, 0.01)[1][0] - before == pytest.approx(-0.1, abs=2e-3)


def test_where_it_deviates_by_more_than_the_tolerance_it_aborts_and_holds_its_position():
    stuck = made(tolerance=0.05, drives=lambda command: np.zeros(2))
    for count in (1, 2):
        assert stuck.receive(trajectory(point(1.0, [1.0, 0.0])), stuck._last) == ''
        assert run(stuck, 0.2)[1][-1] == pytest.approx([0.0, 0.0])
        assert stuck.is_holding
        assert len(stuck.refused) == count
    near = made(tolerance=0.7, drives=lambda command: 0.5 * command)
    near.receive(trajectory(point(1.0, [1.0, 0.0])), START)
    run(near, 1.1)
    assert near.refused == []
