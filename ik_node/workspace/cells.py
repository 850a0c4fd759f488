"""Cells of a reachability map: the coordinates of poses, and values between the cells' centres.

A pose is seen from the first joint: T_joint_wrist = Rz(ψ) [x y z; Ry(θ)] Rz(t), where ψ is the
heading and θ the inclination of the direction of approach, the third axis of the wrist. The first
joint changes only ψ, and the last one only t, where it turns the wrist about this axis. The cells
are those of x, y, z and θ; each has a row of bits: the headings, `HEADINGS` in a turn, that are
reachable at each turn t. Through a pole of θ, (x, y, θ) continues as (−x, −y, −θ), with ψ and t
turned by π.
"""

import math
from typing import Any

import cython

from ik_node.support import arrays
from ik_node.support.arrays import (
    InPoses,
    Long,
    Memory,
    OutFloats,
    OutIntegers,
    OutMatrix,
    Pose,
    Vector,
)

HEADINGS = 60  # bits of a row: as many as a signed integer has, in steps of 6°
PI, TWO_PI, EDGE = math.pi, 2.0 * math.pi, 1e-9
SURE, OPEN = 0.45, 0.5  # cells from the border, and part of the turns around a pose


class Cells:
    """The cells of a lattice, and the coordinates of poses: x, y, z, θ, ψ and t, in m and rad.

    - `origin`, `step`, `size` (4,): the lower edge, the width and the number of cells along x, y, z
      and θ. `turns`: the number of bins of t.
    - `reduced`: whether x and y are in the frame that is turned by ψ; `polar`: whether x is the
      distance from the axis of the first joint, y is 0 and ψ the direction of the position.
    """

    def __init__(self, lattice: Any) -> None:
        memory = self.memory = Memory()
        self.before, self.after = memory.pose(lattice.T_joint_base), memory.pose(
            lattice.T_tip_wrist)
        self.origin, self.step = memory.vector(lattice.origin), memory.vector(lattice.step)
        self.size, self.turns = memory.integers(lattice.shape), int(lattice.turns)
        self.stride = memory.integers([math.prod(lattice.shape[k + 1:]) for k in range(4)])
        self.reduced, self.polar = bool(lattice.reduced), bool(lattice.polar)
        self.c, self.base = memory.zeros(6), memory.integer_zeros(4)
        self.part = memory.zeros(4)
        self.T, self.U = memory.pose([[0.0] * 4] * 4), memory.pose([[0.0] * 4] * 4)
        self.headings = HEADINGS
        self.weight, self.turned, self.score, self.sure, self.level = 0.0, 0.0, 0.0, 0.0, -1.0

    def coordinates(self, T: Pose, c: Vector) -> None:
        """Write the coordinates c (6,) of T_joint_wrist (4, 4), m."""
        x, y, inclination, heading = T[0][3], T[1][3], 0.0, 0.0
        if self.polar:
            heading = math.atan2(y, x) if self.reduced else PI / HEADINGS
        else:
            inclination = math.atan2(math.hypot(T[0][2], T[1][2]), T[2][2])
            heading = math.atan2(T[1][2], T[0][2])
        cosine, sine = math.cos(heading), math.sin(heading)
        c[0], c[1] = x, y
        if self.reduced:
            c[0], c[1] = cosine * x + sine * y, cosine * y - sine * x
        c[2], c[3], c[4] = T[2][3], inclination, heading
        if self.polar:
            c[5] = math.atan2(T[1][0] - T[0][1], T[0][0] + T[1][1]) - heading
        else:
            c[5] = math.atan2(cosine * T[1][0] - sine * T[0][0],
                              cosine * T[1][1] - sine * T[0][1])

    def node(self, c: Vector) -> Long:
        """Return the number of the cell that has coordinates c (6,), −1 outside of all."""
        node: Long = 0
        for k in range(4):
            place = (c[k] - self.origin[k]) / self.step[k]
            if not -EDGE <= place < self.size[k] + EDGE:
                return -1
            i: int = int(place)
            if i >= self.size[k]:
                i = self.size[k] - 1
            node = node * self.size[k] + i
        return node

    def centre(self, node: Long, c: Vector) -> None:
        """Write x, y, z and θ of the centre of a cell into c (6,)."""
        for j in range(4):
            k = 3 - j
            i: int = int(node % self.size[k])
            node = node // self.size[k]
            c[k] = self.origin[k] + (i + 0.5) * self.step[k]

    def evaluate(self, poses: InPoses, depth: OutFloats, best: OutFloats, row: OutIntegers,
                 headings: OutIntegers, found: OutMatrix) -> None:
        """Evaluate T_base_tip (m, 4, 4), m, into found (m, 4).

        The columns: 1 where a pose is reachable, else 0; `best` between reachable centres around
        it, else 0; 1 where it is reachable beyond doubt, else 0; the depth, −1 where headings and
        turns are not reachable. depth, best, row: of each cell, see `ReachabilityMap`; headings:
        (r turns,) the bits of the rows.
        """
        with cython.nogil:
            for i in range(poses.shape[0]):
                arrays.read_pose(poses[i], self.T)
                multiply(self.before, self.T, self.U)
                multiply(self.U, self.after, self.T)
                self.coordinates(self.T, self.c)
                found[i, 0] = self.interpolate(depth, best, row, headings)
                found[i, 1], found[i, 3] = self.score, self.level
                found[i, 2] = self.sure if found[i, 0] > 0.0 else 0.0

    def interpolate(self, depth: OutFloats, best: OutFloats, row: OutIntegers,
                    headings: OutIntegers) -> float:
        """Return 1 where the pose with coordinates `c` is reachable, else 0."""
        base, part, size, c = self.base, self.part, self.size, self.c
        self.score, self.level = 0.0, -1.0
        for k in range(4):
            place = (c[k] - self.origin[k]) / self.step[k] - 0.5
            base[k], part[k] = 0, 0.0
            if size[k] > 1:
                if not -1.0 <= place <= size[k]:
                    return 0.0
                lower = math.floor(place)
                base[k], part[k] = int(lower), place - lower
            elif k < 3 and math.fabs(place) > 0.5 + EDGE:
                return 0.0
        level, inside, free, score, least = 0.0, 0.0, 0.0, 0.0, 1.0
        for corner in range(16):
            node: Long = self.corner(corner)
            weight = self.weight
            if weight <= 0.0:
                continue
            if node < 0 or depth[node] <= 0.0:
                level += weight * (depth[node] if node >= 0 else -1.0)
                continue
            level += weight * depth[node]
            inside += weight
            score += weight * best[node]
            opened = 1.0
            if row[node] > 0:
                opened = self.openness(headings, row[node] - 1, c[4] + self.turned,
                                       c[5] - self.turned)
            free += weight * opened
            least = min(least, opened)
        if free > OPEN * inside or inside == 0.0:
            self.level, self.score = level, score / inside if inside > 0.0 else 0.0
        if self.level <= 0.0:
            return 0.0
        self.sure = 1.0 if level >= SURE and least >= 1.0 else 0.0
        return 1.0

    def corner(self, corner: int) -> Long:
        """Return the cell at a corner of the box of centres around `c`, −1 outside of all.

        Its weight goes into `weight`, and by how much ψ and t are turned there into `turned`.
        """
        self.weight, mirrored, outside, size = 1.0, False, False, self.size
        node: Long = 0
        for j in range(4):
            k = 3 - j
            high = (corner >> k) & 1
            i: int = self.base[k] + high
            self.weight *= self.part[k] if high else 1.0 - self.part[k]
            if k == 3 and size[3] > 1 and (i < 0 or i >= size[3]):
                mirrored, i = True, 0 if i < 0 else size[3] - 1
            elif k == 0 and self.polar and i < 0:
                mirrored, i = True, 0
            elif mirrored and k < 2 and self.reduced:
                i = size[k] - 1 - i
            outside = outside or i < 0 or i >= size[k]
            node += i * self.stride[k]
        self.turned = PI if mirrored else 0.0
        return -1 if outside else node

    def openness(self, headings: OutIntegers, row: Long, heading: float, turn: float) -> float:
        """Return the part, 0 to 1, that is reachable of the four bins around ψ and t."""
        across, along = heading / TWO_PI * HEADINGS - 0.5, turn / TWO_PI * self.turns - 0.5
        low, lowest, total = math.floor(across), math.floor(along), 0.0
        i: int = int(low)
        j: int = int(lowest)
        across, along = across - low, along - lowest
        for corner in range(4):
            a, b = corner & 1, corner >> 1
            weight = (across if a else 1.0 - across) * (along if b else 1.0 - along)
            t, bit = (j + b) % self.turns, (i + a) % HEADINGS
            t += self.turns if t < 0 else 0
            bit += HEADINGS if bit < 0 else 0
            if (headings[row * self.turns + t] >> bit) & 1:
                total += weight
        return total


def multiply(A: Pose, B: Pose, C: Pose) -> None:
    """Write A B into C; poses (4, 4), of which the upper three rows count."""
    for i in range(3):
        for j in range(4):
            C[i][j] = A[i][0] * B[0][j] + A[i][1] * B[1][j] + A[i][2] * B[2][j]
        C[i][3] += A[i][3]
