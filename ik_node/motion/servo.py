"""Servo: an arm follows twists, joint velocities or poses at a fixed rate, within all its limits.

Each sample is a step of constant acceleration. The velocity at its end solves least squares in
levels [Kanoun 2011], within bounds: first what is not commanded is held, in closed loop; then the
tip moves as commanded; then joints move as little as that lets them. The bounds are the velocities
from which a joint can still stop before its limit, see `braking`. A smaller part of accelerations
and jerks is for the commanded motion, so that the rest can hold the other directions, and commands
slow down in time before the path bends or ends, see `path_curvature`.
"""

import math
from typing import Any

import cython
import numpy as np

from ik_node.motion import braking, held_directions, path_curvature, servo_data, singularities
from ik_node.motion.servo_data import ServoData
from ik_node.motion.trajectory import State
from ik_node.solvers.kernel import task
from ik_node.spatial.rotations import as_pose
from ik_node.support import arguments, arrays
from ik_node.support.arrays import Vector
from ik_node.support.exceptions import InputError

JERK, ACCELERATION = 0.7, 0.85  # parts of the limits for the commanded motion
SHARE = 0.1        # of the velocities, for corrections
CORRECTION = 10.0  # part of an error that is corrected in a second
GENTLE = 0.5       # part of the accelerations for the approach to a pose
APPROACH = 0.5     # part of the distance to a pose that a sample may go
EARLY = 0.7        # part of the time to a limit in which the arm slows down
AT_LIMIT = 0.1     # part of the velocity to a limit that is left at the limit
NEAR = 0.02        # s to a limit at the largest velocity
STILL = 1e-11      # of the largest velocity: rounding
SETTLED = 1e-4     # of the largest velocity
REST = 1e-12       # of it, below which a joint rests
INF = math.inf
NO_TIP = 'the servo of a body has no tip: see BodyServo'


class Servo(ServoData):
    """The control law of one arm.

    One thread advances it, without the interpreter's lock, and reads its attributes after that. Any
    thread may command it and read its `state` at any time: the latest command counts from the next
    sample on, and a state is that of one sample. Invalid commands raise InputError, and change
    nothing.
    """

    def follow_twist(self, twist: Any) -> None:
        """Move the tip by a twist (6,) from now on: m/s, rad/s, base axes, linear first."""
        if self.chain is None:
            raise InputError(NO_TIP)
        self.latest = servo_data.TWIST, arguments.vector(twist, 6, 'twist')

    def follow_joints(self, velocity: Any) -> None:
        """Move the joints with velocities (n,), rad/s or m/s, from now on."""
        self.latest = servo_data.JOINTS, arguments.vector(velocity, self.n, 'velocity')

    def follow_next(self, velocity: Any) -> None:
        """Let the joints have velocities (n,), rad/s or m/s, at the next sample, within limits."""
        self.latest = servo_data.NEXT, arguments.vector(velocity, self.n, 'velocity')

    def follow_pose(self, T_base_tip: Any) -> None:
        """Move the tip to a pose (4, 4), m, and stay there."""
        if self.chain is None:
            raise InputError(NO_TIP)
        self.latest = servo_data.POSE, as_pose(T_base_tip, 'the pose')

    def stop(self) -> None:
        """Brake from now on, and hold the pose of the tip."""
        self.latest = servo_data.REST, np.empty(0)

    def advance(self) -> None:
        """Go on by one sample."""
        self.take()
        with cython.nogil:
            sample(self)
        self.finish()

    def ramp(self, every: int) -> np.ndarray:
        """Return each so many samples of a stop from the last one on, (k, 3, n); the last rests.

        They keep all limits. For the thread that advances it.
        """
        rows: list[np.ndarray] = []
        for k in range(self.n):
            self.below[k], self.above[k], self.x[k] = self.q[k], self.v[k], self.a[k]
        moves = True
        while moves:
            for _ in range(every):
                moves = go_on(self, self.below, self.above, self.x)
            rows.append(np.array([[self.below[k] for k in range(self.n)],
                                  [self.above[k] for k in range(self.n)],
                                  [self.x[k] for k in range(self.n)]]))
        return np.array(rows)

    def state(self) -> State:
        """Return position, velocity and acceleration (n,) of the last sample: rad or m, s, s²."""
        return State(*self.last)


def go_on(own: ServoData, q: Vector, v: Vector, a: Vector) -> bool:
    """Let a state (n,) each go on by a sample of a stop; return whether it still moves."""
    moves = False
    for k in range(own.n):
        braked = braking.stopping(v[k], a[k], own.acceleration[k], own.jump[k], own.period)
        w = v[k] + braked * own.period
        if math.fabs(w) < REST * own.most[k]:
            w = 0.0
        q[k] += 0.5 * (v[k] + w) * own.period
        v[k], a[k] = w, braked if w != 0.0 else 0.0
        moves = moves or w != 0.0
    return moves


def sample(own: ServoData) -> None:
    """Write position, velocity and acceleration of the next sample."""
    begin(own)
    choose(own)
    move(own)


def begin(own: ServoData) -> None:
    """Write bounds, and what the command asks for."""
    hard_bounds(own)
    own.clear, own.singular = 1.0, False
    if by_joints(own):
        arrays.copy_to(own.v_command, own.wanted, own.n)
        own.begun = False
    else:
        singularities.prepare(own)
        tip_velocities(own)
    own.scale, own.ahead = 1.0, 1.0
    for k in range(own.n):
        if math.fabs(own.v_command[k]) * own.scale > own.most[k]:
            own.scale = own.most[k] / math.fabs(own.v_command[k])
    for k in range(own.n):
        own.v_command[k] *= own.scale
    if not by_joints(own):
        approach_limits(own)
        own.follows = True
        own.ahead = min(1.0, path_curvature.look_ahead(own, own.v_command))
        own.ahead = min(own.ahead, path_curvature.look_ahead(own, own.v))


def by_joints(own: ServoData) -> bool:
    """Tell whether the command is one of velocities of the joints."""
    return own.mode == servo_data.JOINTS or own.mode == servo_data.NEXT


def approach_limits(own: ServoData) -> None:
    """Slow down the command where it leads to a limit: one joint, if others can do what it did."""
    whole, along, length2, fade, delay = 1.0, 0.0, 0.0, INF, 0.0
    for k in range(own.n):
        v = own.v_command[k] / own.most[k]
        along += own.a[k] * v / own.most[k]
        length2 += v * v
        if v != 0.0:
            fade = min(fade, own.jump[k] / own.period / math.fabs(own.v_command[k]))
    if along > 0.0:  # until it no longer accelerates
        delay = along / (JERK * length2 * fade)
    for k in range(own.n):
        own.at_limit[k] = 0
        v, time = own.v_command[k], time_to_limit(own, k) - delay
        room, speed = own.q[k] - own.lower[k], math.fabs(own.v[k])
        if own.v[k] > 0.0:
            room = own.upper[k] - own.q[k]
        if speed > 0.0 and room < own.horizon * speed:  # at rest it may be outside
            whole = min(whole, part_until(own, own.v, EARLY * room / speed))
        if time > own.horizon:
            continue
        part = part_until(own, own.v_command, EARLY * max(time, 0.0))
        if part >= 1.0:
            continue
        own.at_limit[k] = part < AT_LIMIT
        if own.n > own.rank and singularities.free_direction(own, k) > 0.3:
            v *= (1.0 - part) / (own.trial_direction[k] * own.most[k])
            for j in range(own.n):
                own.v_command[j] -= v * own.trial_direction[j] * own.most[j]
        else:
            whole = min(whole, part)
    for k in range(own.n):
        own.v_before[k] = own.v_command[k]
        own.v_command[k] *= whole


def part_until(own: ServoData, v: Vector, time: float) -> float:
    """Return the part of velocities v (n,) from which joints may stop where they lead in a time."""
    for j in range(own.n):
        own.trial[j] = time * v[j]
    return max(time, 0.0) * gain(own, own.trial, CORRECTION)


def time_to_limit(own: ServoData, k: int) -> float:
    """Return when the command leads joint k to a limit, s, if its velocity goes on to change."""
    time, v = INF, own.v_command[k]
    rate = (v - own.v_before[k]) / own.period if own.follows else 0.0
    if v > 0.0 or rate > 0.0:
        time = until(max(own.upper[k] - own.q[k], 0.0), v, rate)
    if v < 0.0 or rate < 0.0:
        time = min(time, until(max(own.q[k] - own.lower[k], 0.0), -v, -rate))
    return time


def until(room: float, v: float, rate: float) -> float:
    """Return the time in which a joint has moved by a room ≥ 0; one that slows down does not."""
    rate = max(rate, 0.0)
    root = v + math.sqrt(v * v + 2.0 * rate * room)
    return 2.0 * room / root if root > 1e-12 else INF


def choose(own: ServoData) -> None:
    """Write the next velocities into x (n,)."""
    if by_joints(own):
        follow_velocities(own)
        return
    for k in range(own.n):
        own.v_command[k] *= own.clear * own.slowed * own.ahead
        own.v_target[k] = own.v_command[k] + own.v_held[k]
    soft_bounds(own)
    held_directions.levels(own)
    held_directions.solve(own)


def brake(own: ServoData) -> None:
    """Write the next velocities of a stop, of each joint for itself, into x (n,)."""
    own.clear, own.holds = 0.0, False
    for k in range(own.n):
        own.x[k] = own.v[k] + own.period * braking.stopping(
            own.v[k], own.a[k], own.acceleration[k], own.jump[k], own.period)


def hard_bounds(own: ServoData) -> None:
    """Write the least and the largest safe acceleration of the next step of each joint."""
    dt = own.period
    for k in range(own.n):
        v, a, most, jump = own.v[k], own.a[k], own.acceleration[k], own.jump[k]
        high = min(min(a + jump, most), braking.gentle(own.most[k] - v, jump, dt))
        low = max(max(a - jump, -most), braking.gentle(-own.most[k] - v, jump, dt))
        own.low[k], own.high[k] = safe(own, k, min(low, high), max(low, high), most, jump)


def safe(own: ServoData, k: int, low: float, high: float, most: float,
         jump: float) -> tuple[float, float]:
    """Return the accelerations of joint k, out of an interval, after which it can stop in time."""
    q, v, a, dt = own.q[k], own.v[k], own.a[k], own.period
    far = braking.furthest(own.most[k], most, jump, dt)
    if q + far > own.upper[k]:
        high = braking.highest(q, v, a, high, own.upper[k], most, jump, dt)
    if q - far < own.lower[k]:
        low = -braking.highest(-q, -v, -a, -low, -own.lower[k], most, jump, dt)
    return min(low, high), high


def soft_bounds(own: ServoData) -> None:
    """Write the accelerations for the commanded motion, and their bounds.

    The tip keeps its twist, and all joints change their velocities in proportion, so that what the
    present ones and those of the command hold is held between.
    """
    n, dt, part = own.n, own.period, 1.0 / own.period
    path_curvature.write_curvature(own)
    for k in range(n):
        e, most = own.v_target[k] - own.v[k] - own.bend[k] * dt, ACCELERATION * own.acceleration[k]
        if math.fabs(e) > REST * own.most[k]:
            part = min(part, braking.gentle(e, JERK * own.jump[k], dt) / e)
            part = min(part, max((math.copysign(most, e) - own.bend[k]) / e, 0.0))
    for k in range(n):
        a, jump, most = own.a[k], JERK * own.jump[k], ACCELERATION * own.acceleration[k]
        own.next_a[k] = own.bend[k] + part * (own.v_target[k] - own.v[k] - own.bend[k] * dt)
        low, high = max(a - jump, -most), min(a + jump, most)
        own.soft_low[k] = min(max(low, own.low[k]), own.high[k])
        own.soft_high[k] = max(min(max(high, own.low[k]), own.high[k]), own.soft_low[k])


def is_near(own: ServoData, k: int) -> bool:
    """Tell whether joint k could hardly stop before the limit that its velocity is to lead to."""
    room = own.upper[k] - own.q[k] if own.v_target[k] > own.v[k] else own.q[k] - own.lower[k]
    return room < max(NEAR * own.most[k], braking.furthest(
        math.fabs(own.v[k]), own.acceleration[k], own.jump[k], own.period))


def follow_velocities(own: ServoData) -> None:
    """Write the next velocities towards those wanted of the joints into x (n,)."""
    for k in range(own.n):
        own.v_target[k] = own.clear * own.v_command[k]
        a = (own.v_target[k] - own.v[k]) / own.period
        if own.mode == servo_data.JOINTS:
            a = braking.within(braking.gentle(own.v_target[k] - own.v[k], own.jump[k], own.period),
                               own.a[k], own.jump[k])
            a = braking.within(a, 0.0, own.acceleration[k])
        own.at_limit[k] = not own.low[k] <= a <= own.high[k] and (
            own.mode == servo_data.JOINTS or is_near(own, k))
        own.x[k] = own.v[k] + a * own.period


def move(own: ServoData) -> None:
    """Go to the velocities x (n,) by constant accelerations."""
    dt = own.period
    own.settled = True
    for k in range(own.n):
        v, a = own.v[k], next_acceleration(own, k)
        w = v + a * dt
        if math.fabs(w) < STILL * own.most[k]:
            w = 0.0
        own.q[k] += 0.5 * (v + w) * dt
        own.v[k] = w
        own.a[k] = a
        own.settled = own.settled and math.fabs(w - own.v_target[k]) <= SETTLED * own.most[k]
    if not by_joints(own):
        held_directions.move_reference(own)


def next_acceleration(own: ServoData, k: int) -> float:
    """Return the acceleration of joint k to its next velocity."""
    return min(max((own.x[k] - own.v[k]) / own.period, own.low[k]), own.high[k])


def gain(own: ServoData, dq: Vector, most: float) -> float:
    """Return the part of a displacement dq (n,) that joints may go in a second, and still stop."""
    rate = most
    for k in range(own.n):
        d, a = math.fabs(dq[k]), GENTLE * own.acceleration[k]
        jerk = GENTLE * GENTLE * own.jump[k] / own.period
        if d > 1e-15:
            slow = a * a / (2.0 * jerk)
            rate = min(rate, 0.8 * math.pow(jerk / d, 1.0 / 3.0))
            rate = min(rate, 2.0 * a / (slow + math.sqrt(slow * slow + 2.0 * a * d)))
    return rate


def tip_velocities(own: ServoData) -> None:
    """Write the velocities (n,) that the command asks for, and those that correct the error."""
    n, dt, demand = own.n, own.period, own.demand
    singularities.invert(own, own.e, False, True, True, own.v_held)
    rate = gain(own, own.v_held, CORRECTION)
    for k in range(n):
        if math.fabs(own.v_held[k]) * rate > SHARE * own.most[k]:
            rate = SHARE * own.most[k] / math.fabs(own.v_held[k])
    for k in range(n):
        own.v_held[k] *= rate
        own.v_command[k] = 0.0
    if own.mode == servo_data.TWIST:
        for i in range(6):
            demand[i] = own.weights[i] * own.command[i]
        singularities.invert(own, demand, True, own.moves, own.turns, own.v_command)
        if own.kept >= 0:
            singularities.keep_still(own, own.v_command)
    elif own.mode == servo_data.POSE:
        task.pose_error(own.target, own.reference, own.R, demand)
        for i in range(6):
            demand[i] *= own.weights[i]
        singularities.invert(own, demand, True, True, True, own.v_command)
        rate = gain(own, own.v_command, APPROACH / dt)
        for k in range(n):
            own.v_command[k] *= rate
