"""Servos that keep a margin from contact: each sample leaves room for a stop.

A sample is taken only where the stop that follows it, of all joints at their limits, keeps the
margin; else the arms that matter continue the stop of the sample before. Distances change by at
most Σ lever · |Δq|, so those measured at one configuration hold for samples around it. Where they
do not suffice, the stop is swept, see `collision.sweep`. Commands slow down towards contact, so
that stops are rare.
"""

import itertools
import math
from collections.abc import Sequence
from typing import Any

import cython
import numpy as np

from ik_node.collision import scene as scenes
from ik_node.collision import sweep as sweeps
from ik_node.collision.convex import Convex
from ik_node.collision.model import CollisionModel
from ik_node.collision.scene import Scene, SceneData
from ik_node.collision.sweep import Sweep
from ik_node.motion import braking, servo
from ik_node.motion.servo_data import ServoData
from ik_node.spatial import vector3 as vectors
from ik_node.support import arrays
from ik_node.support.arrays import Memory
from ik_node.support.exceptions import InputError

ROWS = 16          # configurations of a stop
PLACES = 50        # that are looked at in the sweep of a pair
FAR = 0.05         # m, beyond the margin: up to it distances are measured,
FARTHER = 1.5      # and as many times what a stop needs
ABOVE = 1e-3       # m, beyond the margin, at which commands stop, so that stops need not
APPROACH = 10.0    # part of the distance to contact that is left, in a second
DEEPER = 1e-6      # m, by which a pair that is too near may come nearer
INF = math.inf


class GuardedServos:
    """Servos that advance together, and keep the margin of a collision model.

    A pair that is nearer when it is first seen must not come nearer; motion away from it is free.
    Obstacles may change at any time. Meshes count as their convex hulls. Threads: as of `Servo`.
    """

    def __init__(self, collisions: CollisionModel, servos: Sequence[Any]) -> None:
        """Guard the servos of all joints of a model. Raises InputError for others."""
        self.collisions, self.memory = collisions, Memory()
        self.all, memory, names = tuple(servos), self.memory, collisions.space.joint_names
        if sorted(name for one in self.all for name in one.names) != sorted(names):
            raise InputError('each joint of the collision model must be that of one servo, '
                             f'{", ".join(names)}, not {[list(one.names) for one in self.all]}')
        if len({one.period for one in self.all}) > 1:
            raise InputError('the periods of the servos must be equal')
        self.n, self.count = len(names), len(self.all)
        n, most, owners = self.n, scenes.MOST, [
            next(i for i, one in enumerate(self.all) if name in one.names) for name in names]
        self.servos, self.owner = memory.objects(self.all), memory.integers(owners)
        self.column = memory.integers([names.index(name) for one in self.all for name in one.names])
        self.first = memory.integers([0, *itertools.accumulate(one.n for one in self.all)])
        self.lower, self.upper = (np.where(np.isfinite(bound), bound, 0.0) for bound in (
            collisions.space.lower, collisions.space.upper))
        for one in self.all:
            one.guard = self
        self.dt, self.most, self.jump = self.all[0].period, memory.zeros(n), memory.zeros(n)
        self.now, self.command = memory.zeros(n), memory.zeros(n)
        self.q, self.v, self.a = memory.zeros(n), memory.zeros(n), memory.zeros(n)
        self.at, self.reach, self.lever = memory.zeros(n), memory.zeros(n), memory.zeros(n)
        self.stop_v, self.stop_a = memory.zeros(n), memory.zeros(n)
        self.moved, self.rates = memory.zeros(n), memory.zeros(self.count)
        self.listed, self.far, self.measured = 0, 0.0, False
        self.pair_a, self.pair_b = memory.integer_zeros(most), memory.integer_zeros(most)
        self.distance, self.low = memory.zeros(most), memory.zeros(most)
        self.levers, self.gradient = memory.matrix(most, n), memory.matrix(most, n)
        self.before_a, self.before_b = memory.integer_zeros(most), memory.integer_zeros(most)
        self.before, self.worst, self.stopping = memory.zeros(most), -1, 0
        self.braking = memory.integer_zeros(self.count)
        self.slowing_a = memory.integer_zeros(self.count)
        self.slowing_b = memory.integer_zeros(self.count)
        self.scene: Any = None
        self.refresh()

    def refresh(self) -> None:
        """Look at the present obstacles."""
        scene = self.collisions.scene
        if scene is self.scene:
            return
        rows = np.zeros((ROWS, self.n))
        rows[0], rows[1] = self.lower, self.upper
        sweep: Sweep = Sweep(scene, rows)
        self.scene, self.sweep, sweep.data = scene, sweep, scene.take()
        sweep.most_places, sweep.strict = PLACES, True
        self.listed, self.measured = 0, False

    def advance(self) -> None:
        """Go on by one sample of all servos."""
        for one in self.all:
            one.take()
        self.refresh()
        with cython.nogil:
            samples(self)
        for one in self.all:
            one.finish()

    def contact(self, one: ServoData) -> str:
        """Return the pair that slows down a servo, and its distance, in words."""
        s = self.all.index(one)
        q, pair = np.empty(self.n), (self.slowing_a[s], self.slowing_b[s])
        for k in range(self.n):
            q[k] = self.now[k]
        near = self.scene.contacts(q, self.far, lambda a, b, apart: (a, b) == pair)
        return str(next(near, 'it is near contact'))


def samples(own: GuardedServos) -> None:
    """Write the next sample of every servo."""
    for s in range(own.count):
        servo.begin(cython.cast(ServoData, own.servos[s]))
        read_command(own, cython.cast(ServoData, own.servos[s]), own.first[s])
        own.braking[s] = 0
    own.stopping = 0
    slow_down(own)
    for s in range(own.count):
        servo.choose(cython.cast(ServoData, own.servos[s]))
        read_next(own, cython.cast(ServoData, own.servos[s]), own.first[s])
    for _ in range(own.count):
        if is_safe(own, own.sweep.data, own.sweep.scene):
            break
        stop_for(own, own.worst)
    for s in range(own.count):
        servo.move(cython.cast(ServoData, own.servos[s]))


def read_command(own: GuardedServos, one: ServoData, first: int) -> None:
    """Read positions, limits and the command of a servo."""
    for j in range(one.n):
        k = own.column[first + j]
        own.now[k], own.command[k] = one.q[j], one.v_command[j]
        own.most[k], own.jump[k] = one.acceleration[j], one.jump[j]


def read_next(own: GuardedServos, one: ServoData, first: int) -> None:
    """Read the next sample of a servo, and how far its joints go until they have stopped."""
    for j in range(one.n):
        k, a, q, dt = own.column[first + j], servo.next_acceleration(one, j), one.q[j], own.dt
        v = one.v[j] + a * dt
        own.q[k], own.v[k], own.a[k] = q + 0.5 * (one.v[j] + v) * dt, v, a
        up = braking.peak(own.q[k], v, a, own.most[k], own.jump[k], dt)
        down = braking.peak(-own.q[k], -v, -a, own.most[k], own.jump[k], dt)
        own.reach[k] = max(max(up, q) - q, max(down, -q) + q)


def slow_down(own: GuardedServos) -> None:
    """Slow down the commands that lead towards contact."""
    for i in range(own.listed):
        room, total = own.distance[i] - least(own) - ABOVE, 0.0
        for s in range(own.count):
            own.rates[s] = 0.0
        for k in range(own.n):
            room += own.gradient[i][k] * (own.now[k] - own.at[k])
            own.rates[own.owner[k]] -= own.gradient[i][k] * own.command[k]
        for s in range(own.count):
            total += max(own.rates[s], 0.0)
        for s in range(own.count):
            if own.rates[s] > 0.0 and slow(cython.cast(ServoData, own.servos[s]),
                                           max(room, 0.0) / total):
                own.slowing_a[s], own.slowing_b[s] = own.pair_a[i], own.pair_b[i]


def slow(one: ServoData, time: float) -> bool:
    """Slow down a command that leads to contact after a time, s; tell whether that is needed."""
    for j in range(one.n):
        one.trial[j] = time * one.v_command[j]
    clear = time * servo.gain(one, one.trial, APPROACH)
    if clear >= one.clear:
        return False
    one.clear = clear
    return True


def least(own: GuardedServos) -> float:
    """Return the distance that commands keep, m."""
    return max(own.sweep.scene.margin, sweeps.NEARER)


def lowest(own: GuardedServos) -> float:
    """Return the distance below which a pair is too near, m."""
    return least(own) - sweeps.STOP


def is_safe(own: GuardedServos, data: SceneData, scene: Scene) -> bool:
    """Tell whether all joints can stop after the next samples; else `worst` is in the way."""
    if own.measured and holds(own):
        return True
    measure(own, data, scene)
    swept, is_written = -1, False
    for i in range(own.listed):
        begun = own.distance[i] < lowest(own)
        with_world = own.pair_b[i] >= scene.count and not begun  # all of it is swept
        if room_of(own, i) >= 0.0 or (with_world and own.pair_a[i] == swept):
            continue
        if not is_written:
            write_stop(own)
            is_written = True
        if not keeps_apart(own, data, scene, i, begun):
            own.worst = i
            return False
        if with_world:
            swept = own.pair_a[i]
    return True


def stop_for(own: GuardedServos, i: int) -> None:
    """Let the servos brake that move pair i, or all where these do already."""
    before = own.stopping
    for k in range(own.n):
        if own.levers[i][k] > 0.0:
            stop(own, own.owner[k])
    if own.stopping == before:
        for s in range(own.count):
            stop(own, s)


def stop(own: GuardedServos, s: int) -> None:
    """Let servo s brake."""
    if own.braking[s] == 0:
        own.braking[s], own.stopping = 1, own.stopping + 1
        own.slowing_a[s], own.slowing_b[s] = own.pair_a[own.worst], own.pair_b[own.worst]
        servo.brake(cython.cast(ServoData, own.servos[s]))
        read_next(own, cython.cast(ServoData, own.servos[s]), own.first[s])


def holds(own: GuardedServos) -> bool:
    """Tell whether the distances that were measured suffice."""
    far = own.far - least(own)
    for k in range(own.n):
        own.moved[k] = math.fabs(own.now[k] - own.at[k]) + own.reach[k]
        far -= own.lever[k] * own.moved[k]
    for i in range(own.listed):
        far = min(far, room_of(own, i))
    return far >= 0.0


def room_of(own: GuardedServos, i: int) -> float:
    """Return by how much pair i may come nearer than joints can bring it, m."""
    left = own.distance[i] - own.low[i]
    for k in range(own.n):
        left -= own.levers[i][k] * own.moved[k]
    return left


def measure(own: GuardedServos, data: SceneData, scene: Scene) -> None:
    """Measure the pairs that are near at the present configuration, with gradients and levers."""
    needed, before = 0.0, own.listed
    for i in range(before):
        own.before_a[i], own.before_b[i], own.before[i] = own.pair_a[i], own.pair_b[i], own.low[i]
    if not own.measured:
        write_largest_levers(own, scene)
    for k in range(own.n):
        own.at[k], own.moved[k] = own.now[k], own.reach[k]
        needed += own.lever[k] * own.reach[k]
    own.far, own.measured = least(own) + max(FAR, FARTHER * needed), True
    own.listed = scenes.scan(data, own.at, own.far, scenes.MOST + 1, True)
    for i in range(own.listed):
        a, b = data.a[i], data.b[i]
        own.pair_a[i], own.pair_b[i], own.distance[i] = a, b, data.distance[i]
        scenes.distance_row(data, i, own.gradient[i])
        sweeps.write_levers(own.sweep, a, b if b < scene.count else -1)
        arrays.copy_to(own.levers[i], own.sweep.lever, own.n)
        own.low[i] = lowest(own)
        if own.distance[i] < own.low[i]:
            own.low[i] = own.distance[i]
            for j in range(before):
                if own.before_a[j] == a and own.before_b[j] == b:
                    own.low[i] = max(own.low[i], own.before[j])
    if own.listed == scenes.MOST:  # the nearest of more
        for i in range(own.listed):
            own.far = min(own.far, max(own.distance[i], 0.0))


def write_largest_levers(own: GuardedServos, scene: Scene) -> None:
    """Write by how much each joint changes any distance at most, m per unit."""
    for k in range(own.n):
        own.lever[k] = 0.0
    for i in range(scene.pair_count + scene.moving_count):
        if i < scene.pair_count:
            sweeps.write_levers(own.sweep, scene.pairs[2 * i], scene.pairs[2 * i + 1])
        else:
            sweeps.write_levers(own.sweep, scene.moving[i - scene.pair_count], -1)
        for k in range(own.n):
            own.lever[k] = max(own.lever[k], own.sweep.lever[k])


def write_stop(own: GuardedServos) -> None:
    """Write the path to the next samples, and of the stop after them."""
    path, dt, time, row, moves = own.sweep.path, own.dt, 0.0, 1, True
    for k in range(own.n):
        most, jerk = own.most[k], own.jump[k] / dt
        speed = math.fabs(own.v[k]) + 0.5 * own.a[k] * own.a[k] / jerk
        time = max(time, math.fabs(own.a[k]) / jerk + (
            2.0 * math.sqrt(speed / jerk) if speed < most * most / jerk
            else speed / most + most / jerk))
        path[0][k], path[1][k] = own.now[k], own.q[k]
        own.stop_v[k], own.stop_a[k] = own.v[k], own.a[k]
    steps: int = int(1.0 + time / (dt * (ROWS - 4)))
    while moves and row < ROWS - 1:
        moves = False
        row += 1
        for k in range(own.n):
            q, v, a = path[row - 1][k], own.stop_v[k], own.stop_a[k]
            for _ in range(steps):
                a = braking.stopping(v, a, own.most[k], own.jump[k], dt)
                q += (v + 0.5 * a * dt) * dt
                v += a * dt
            path[row][k], own.stop_v[k], own.stop_a[k] = q, v, a
            moves = moves or math.fabs(v) > 1e-9
    own.sweep.m = row + 1
    for k in range(own.n):
        own.sweep.bend[k] = min(own.reach[k], 0.125 * own.most[k] * (steps * dt) * (steps * dt))


def keeps_apart(own: GuardedServos, data: SceneData, scene: Scene, i: int, begun: bool) -> bool:
    """Tell whether pair i keeps the margin during the stop: with any shape of the world.

    begun: whether it is too near, and must not come nearer.
    """
    a, b, found, low = own.pair_a[i], own.pair_b[i], True, own.low[i] - DEEPER
    if own.distance[i] < low:
        low = own.distance[i]
    c = b if b < scene.count else -1
    data.deep = True
    for j in range(scene.pair_count):
        if scene.pairs[2 * j] == a and scene.pairs[2 * j + 1] == b:
            data.closer = scene.closer[j]
    if not begun:
        found = sweeps.free_of(own.sweep, a, c, INF) == INF
    else:
        for row in range(1, own.sweep.m):
            sweeps.put_at(own.sweep, a, c, row)
            data.count = 0
            if c >= 0:
                scenes.measure(
                    cython.cast(Convex, scene.shape[a]), cython.cast(Convex, scene.shape[b]),
                    vectors.transform_of(data.place[b]), data, a, b, INF)
            else:
                c_world = b - scene.count
                scenes.measure(
                    cython.cast(Convex, scene.shape[a]),
                    cython.cast(Convex, scene.world.shape[c_world]),
                    vectors.transform_of(scene.world.place[c_world]), data, a, b, INF)
            found = found and data.count == 1 and data.distance[0] >= low
    data.closer = 0.0
    return found
