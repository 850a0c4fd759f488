"""Fills the cells of a reachability map by configurations that reach their centres.

A sample is drawn, and from it the centre of the cell that it falls into is solved for, by damped
least squares with the limits as an active set. Where that succeeds, the centre is reachable, at
all headings and turns that the first and the last joint leave. Else the pose where it stops is on
the border, as far as one branch is concerned: its offset from the centre is kept.
"""

import math
from typing import Any

import cython

from ik_node.collision.scene import SceneData
from ik_node.kinematics import forward, jacobian
from ik_node.kinematics.forward import ChainRecord
from ik_node.solvers.kernel import linear
from ik_node.support import arrays
from ik_node.support.arrays import (
    InVector,
    Long,
    Memory,
    OutFloats,
    OutIntegers,
    OutMatrix,
)
from ik_node.workspace.cells import Cells

TWO_PI = 2.0 * math.pi
TOLERANCE = 1e-8  # squared error that meets a centre, in cells: 5 μm of 5 cm
ITERATIONS, PATIENCE = 16, 4
MOST = 24       # attempts at a centre by samples, for each bin that a sample opens
MISSES = 8      # attempts at a centre that was never met
CLOSE = 1e-9    # rad or m: at a limit
GROUP = 3       # headings, and turns, that are alike to collisions


class Filler:
    """Fills the cells of a block, whose outer layers along x are those of its neighbours.

    They are numbered from `begin` on in the lattice, and from 0 in the arrays of `state`:

    - `reached`: (k,) number of the pass in which a centre was first met, from 1; 0 where it was
      not. `tries`: (k,) attempts. `best`: (k,) manipulability.
    - `row`: (k,) 0, or the row of a cell that is reachable at some headings and turns only;
      `opened`: (r, turns) the bits of these headings, of which the first `used` rows are in use.
    - `q`: (k, n) a configuration at the centre, rad or m. `offset`: (k, 4) the nearest reachable
      pose found, from the centre, in cells.

    `spans`: the bits of i headings from k on, at (headings + 1) k + i.
    """

    def __init__(self, chain: ChainRecord, cells: Cells, plan: Any, begin: Long, state: Any,
                 used: Long, spans: OutIntegers, scene: Any = None) -> None:
        memory = self.memory = Memory()
        self.chain, self.cells, n = chain, cells, chain.n
        self.scene: SceneData = scene  # None where collisions do not count
        self.reached: OutIntegers = state['reached']
        self.tries: OutIntegers = state['tries']
        self.best: OutFloats = state['best']
        self.row: OutIntegers = state['row']
        self.opened: OutIntegers = state['opened'].reshape(-1)
        self.q: OutFloats = state['q'].reshape(-1)
        self.offset: OutFloats = state['offset'].reshape(-1)
        self.spans: OutIntegers = spans
        self.begin: Long = begin
        self.used: Long = used
        self.n, self.first, self.last = n, int(plan.first), int(plan.last)
        self.has_turn, self.sign = bool(plan.has_turn), float(plan.sign)
        self.ranges = memory.pairs(plan.ranges)  # of the first and the last joint, rad
        self.low, self.span = memory.vector(plan.low), memory.vector(plan.span)
        self.shift, self.stride = memory.vector(plan.shift), memory.vector(plan.stride)
        self.weights = memory.vector(plan.weights)  # (6,) of rows, per m and rad; 0 for none,
        self.measured = memory.vector(plan.measured)  # and of those of manipulability
        self.looks = int(plan.looks)
        self.volume = float(plan.volume)
        self.F = memory.poses([[[0.0] * 4] * 4] * (chain.m + 1))
        self.T, self.J = memory.pose([[0.0] * 4] * 4), memory.columns([[0.0] * 6] * n)
        self.A, self.beta = memory.columns([[0.0] * 6] * 6), memory.zeros(6)
        self.E, self.x, self.trial = memory.zeros(6), memory.zeros(n), memory.zeros(n)
        self.dq, self.c, self.goal = memory.zeros(n), memory.zeros(6), memory.zeros(6)
        self.full: Long = spans[cells.headings]
        self.most = MOST * int(plan.bins)
        self.checked: Long = 0
        self.free: Long = 0
        self.group = -1

    def locate(self, first: Long, nodes: OutIntegers) -> None:
        """Write the cells of the lattice that samples `first`, … fall into, −1 outside of all."""
        with cython.nogil:
            for i in range(nodes.shape[0]):
                self.draw(first + i)
                nodes[i] = self.cells.node(self.c)

    def sample(self, numbers: OutIntegers, nodes: OutIntegers, stamp: Long) -> int:
        """Visit cells (k,) from samples with numbers (k,); return how many changed."""
        changed = 0
        with cython.nogil:
            for i in range(numbers.shape[0]):
                node: Long = nodes[i]
                if self.tries[node] < (self.most if self.reached[node] > 0 else MISSES):
                    self.draw(numbers[i])
                    changed += self.visit(node, stamp)
        return changed

    def seed(self, node: Long, q: InVector, stamp: Long) -> bool:
        """Attempt a cell from q (n,), rad or m; return whether its centre is reached."""
        self.place(q)
        self.visit(node, stamp)
        return self.reached[node] > 0

    def goal_from(self, node: Long, q: InVector, T: OutMatrix) -> None:
        """Write the pose T_joint_wrist (4, 4), m, that `seed` attempts from q (n,)."""
        self.place(q)
        self.aim(node)
        arrays.copy_pose(self.T, T)

    def place(self, q: InVector) -> None:
        """Take a configuration (n,), rad or m."""
        arrays.read_vector(q, self.x)
        forward.chain_frames(self.chain, self.x, self.F)

    def spread(self, stamp: Long) -> int:
        """Attempt the inner cells that were not reached, from neighbours reached before.

        From those that were in the pass before this, `stamp`; in pass 2 from all. Returns how many
        are reached.
        """
        changed = 0
        with cython.nogil:
            for i in range(1, self.reached.shape[0] // self.cells.stride[0] - 1):
                changed += self.spread_layer(i, stamp)
        return changed

    def spread_layer(self, layer: Long, stamp: Long) -> int:
        """Do as `spread` for the cells of one x."""
        stride, size, changed = self.cells.stride, self.cells.size, 0
        count: Long = stride[0]
        for j in range(count):
            node: Long = layer * count + j
            if self.reached[node] > 0:
                continue
            for k in range(4):
                at: Long = (node // stride[k]) % size[k]
                for sign in range(-1, 2, 2):
                    if self.reached[node] > 0 or (k > 0 and not 0 <= at + sign < size[k]):
                        continue
                    other: Long = node + sign * stride[k]
                    if (0 < self.reached[other] < stamp
                            and (stamp == 2 or self.reached[other] == stamp - 1)):
                        for i in range(self.n):
                            self.x[i] = self.q[other * self.n + i]
                        forward.chain_frames(self.chain, self.x, self.F)
                        changed += self.visit(node, stamp)
        return changed

    def draw(self, number: Long) -> None:
        """Draw one sample into `x`, its frames, and its coordinates."""
        for k in range(self.n):
            place = self.shift[k] + number * self.stride[k]
            self.x[k] = self.low[k] + self.span[k] * (place - math.floor(place))
        forward.chain_frames(self.chain, self.x, self.F)
        self.cells.coordinates(self.F[self.chain.m], self.c)

    def visit(self, node: Long, stamp: Long) -> int:
        """Solve for the centre of a cell from `x` and its frames; return whether it changed."""
        self.tries[node] += 1
        self.aim(node)
        if not self.solve():
            if self.reached[node] == 0:
                self.keep_offset(node)
            return 0
        self.cells.coordinates(self.F[self.chain.m], self.c)
        changed = 1 if self.open(node) else 0
        if self.reached[node] == 0 and changed == 0:  # nothing is free of collisions
            return 0
        if self.tries[node] <= self.looks or self.reached[node] == 0:
            value = self.manipulability()
            if value > self.best[node] or self.reached[node] == 0:
                self.best[node] = value
                for i in range(self.n):
                    self.q[node * self.n + i] = self.x[i]
        if self.reached[node] == 0:
            self.reached[node] = stamp
            changed = 1
        return changed

    def aim(self, node: Long) -> None:
        """Write the pose of a centre into T (4, 4), at the heading and the turn of `x`.

        Of joints that are not left out of the cells, those of the middle of their bins.
        """
        c, T = self.goal, self.T
        self.cells.coordinates(self.F[self.chain.m], self.c)
        self.cells.centre(self.begin + node, c)
        c[4], c[5] = self.c[4], self.c[5]
        if self.first < 0:
            headings = self.cells.headings
            c[4] = (math.floor(c[4] / TWO_PI * headings) + 0.5) / headings * TWO_PI
        if self.last < 0 and self.has_turn:
            turns = self.cells.turns
            c[5] = (math.floor(c[5] / TWO_PI * turns) + 0.5) / turns * TWO_PI
        cosine, sine = math.cos(c[4]), math.sin(c[4])
        T[0][3], T[1][3], T[2][3] = c[0], c[1], c[2]
        if self.cells.reduced:
            T[0][3], T[1][3] = cosine * c[0] - sine * c[1], sine * c[0] + cosine * c[1]
        a, b = math.cos(c[3]), math.sin(c[3])
        e, f = math.cos(c[5]), math.sin(c[5])
        T[0][0], T[0][1] = cosine * a * e - sine * f, -cosine * a * f - sine * e
        T[1][0], T[1][1] = sine * a * e + cosine * f, cosine * e - sine * a * f
        T[2][0], T[2][1] = -b * e, b * f
        T[0][2], T[1][2], T[2][2] = cosine * b, sine * b, a

    def solve(self) -> bool:
        """Move `x` to the pose T; return whether it is met."""
        error, damping, slow = self.residual(), 1e-3, 0
        for _ in range(ITERATIONS):
            if error < TOLERANCE:
                return True
            self.rows(True)
            linear.gram(self.J, self.n, self.A)
            for i in range(6):
                if self.A[i][i] > 0.0:
                    self.A[i][i] += damping * error + 1e-9
            if linear.cholesky(self.A) == 0.0:
                return False
            linear.cholesky_solve(self.A, self.E, self.beta)
            linear.times_transpose(self.J, self.n, self.beta, self.dq)
            for k in range(self.n):
                self.trial[k] = self.x[k]
                self.x[k] = min(max(self.x[k] + self.dq[k], self.chain.lower[k]),
                                self.chain.upper[k])
            forward.chain_frames(self.chain, self.x, self.F)
            before, error = error, self.residual()
            if error > before:
                for k in range(self.n):
                    self.x[k] = self.trial[k]
                forward.chain_frames(self.chain, self.x, self.F)
                error, damping = self.residual(), damping * 16.0
            slow = slow + 1 if error > 0.7 * before else 0
            if slow >= PATIENCE:
                return False
        return error < TOLERANCE

    def residual(self) -> float:
        """Write T − tip into E (6,), in cells; rotations in the tip's frame. Return its square."""
        F, T, E, weights, total = self.F[self.chain.m], self.T, self.E, self.weights, 0.0
        for i in range(3):
            E[i] = weights[i] * (T[i][3] - F[i][3])
        for i in range(3):  # (Rᵀ R_T − R_Tᵀ R) / 2
            a, b = (i + 2) % 3, (i + 1) % 3
            E[3 + i] = 0.5 * weights[3 + i] * (
                F[0][a] * T[0][b] + F[1][a] * T[1][b] + F[2][a] * T[2][b]
                - F[0][b] * T[0][a] - F[1][b] * T[1][a] - F[2][b] * T[2][a])
        for i in range(6):
            total += E[i] * E[i]
        return total

    def rows(self, within: bool) -> None:
        """Write the Jacobian of `E`, without the columns of joints that limits hold if `within`.

        Else that of manipulability.
        """
        F, J, x, weights = self.F[self.chain.m], self.J, self.x, self.weights
        if not within:
            weights = self.measured
        jacobian.chain_jacobian(self.chain, self.F, F, J)
        for k in range(self.n):
            a, b, c = J[k][3], J[k][4], J[k][5]
            slope = 0.0
            for i in range(3):
                J[k][i] *= weights[i]
                J[k][3 + i] = weights[3 + i] * (F[0][i] * a + F[1][i] * b + F[2][i] * c)
                slope += J[k][i] * self.E[i] + J[k][3 + i] * self.E[3 + i]
            if within and ((slope < 0.0 and x[k] <= self.chain.lower[k] + CLOSE)
                           or (slope > 0.0 and x[k] >= self.chain.upper[k] - CLOSE)):
                for i in range(6):
                    J[k][i] = 0.0

    def manipulability(self) -> float:
        """Return √det(J Jᵀ) at `x`, in m and rad."""
        self.rows(False)
        linear.gram(self.J, self.n, self.A)
        return linear.volume(self.A) * self.volume if linear.cholesky(self.A) > 0.0 else 0.0

    def keep_offset(self, node: Long) -> None:
        """Keep where the pose of `x` lies from the centre of a cell, if that is the nearest."""
        self.cells.coordinates(self.F[self.chain.m], self.c)
        total, before = 0.0, 0.0
        for k in range(4):
            self.c[k] = (self.c[k] - self.goal[k]) / self.cells.step[k]
            total += self.c[k] * self.c[k]
            before += self.offset[4 * node + k] * self.offset[4 * node + k]
        if before == 0.0 or total < before:
            for k in range(4):
                self.offset[4 * node + k] = self.c[k]

    def open(self, node: Long) -> bool:
        """Open the headings and turns that `x` reaches; return whether some were closed."""
        changed = (self.reached[node] == 0 or self.row[node] > 0) and self.open_row(node)
        if self.row[node] == 0 and self.tries[node] >= self.looks and (
                changed or self.reached[node] > 0):
            self.tries[node] = self.most
        return changed

    def open_row(self, node: Long) -> bool:
        """Do as `open` for a cell with closed ones, which has a row unless all are open then."""
        turns, changed, whole = self.cells.turns, False, True
        self.group = -1  # nothing is checked yet
        begin, count = self.bins(self.last, 1, self.goal[5], self.c[5], turns)
        low, wide = self.bins(self.first, 0, self.goal[4], self.c[4], self.cells.headings)
        if not self.has_turn:
            count = turns
        if self.row[node] == 0:
            self.used += 1
            self.row[node] = self.used
        for j in range(turns):
            turn: int = (begin + j) % turns
            at_turn: Long = self.row[node] * turns + turn
            if j < count:
                bits: Long = self.spans[(self.cells.headings + 1) * low + wide]
                if self.scene is not None:
                    bits = self.free_of(bits & ~self.opened[at_turn], turn)
                if self.opened[at_turn] | bits != self.opened[at_turn]:
                    self.opened[at_turn] |= bits
                    changed = True
            whole = whole and self.opened[at_turn] == self.full
        if whole or not (changed or self.reached[node] > 0):
            self.used -= 0 if changed else 1  # nothing was written
            self.row[node] = 0
        return changed

    def free_of(self, bits: Long, turn: int) -> Long:
        """Return the headings among `bits` at which `x` is free of collisions, at a turn.

        `GROUP` of them, and of the turns, are alike: that in the middle decides.
        """
        count, turns, middle = self.cells.headings, self.cells.turns, GROUP // 2
        group: Long = 0
        free: Long = 0
        if self.group == turn // GROUP and bits & ~self.checked == 0:
            return self.free & bits
        for k in range(self.n):
            self.trial[k] = self.x[k]
        if self.last >= 0 and self.has_turn and turns > 1:
            angle = TWO_PI * (min((turn // GROUP) * GROUP + middle, turns - 1) + 0.5) / turns
            self.trial[self.last] = self.turned(
                self.last, 1, self.sign * (angle - self.c[5]) + self.x[self.last])
        for i in range(count // GROUP):
            group = self.spans[(count + 1) * GROUP * i + GROUP] & bits
            if group == 0:
                continue
            if self.first >= 0:
                angle = TWO_PI * (GROUP * i + middle + 0.5) / count
                self.trial[self.first] = self.turned(
                    self.first, 0, angle - self.c[4] + self.x[self.first])
            if self.scene.is_free(self.trial):
                free |= group
        self.group, self.checked, self.free = turn // GROUP, bits, free
        return free

    def turned(self, joint: int, which: int, value: float) -> float:
        """Return a value of the first or the last joint by whole turns in its range, or next to."""
        low, high = self.ranges[which][0], self.ranges[which][1]
        if which == 1 and self.sign < 0.0:
            low, high = -high, -low
        value = low + math.fmod(math.fmod(value - low, TWO_PI) + TWO_PI, TWO_PI)
        return value if value <= high else (high if value - high < low + TWO_PI - value else low)

    def bins(self, joint: int, which: int, aim: float, at: float, count: int) -> tuple[int, int]:
        """Return the first of the bins with their middles in reach, and how many.

        Of `count` bins of a turn: those that a joint leads to from an angle, in its range. Without
        a joint (−1) the one that was aimed at.
        """
        low, high = aim - CLOSE, aim + CLOSE
        if joint >= 0:
            at -= (self.sign if which == 1 else 1.0) * self.x[joint]
            low, high = at + self.ranges[which][0], at + self.ranges[which][1]
        if high - low >= TWO_PI - CLOSE:
            return 0, count
        low = math.ceil(low / TWO_PI * count - 0.5)
        high = math.floor(high / TWO_PI * count - 0.5)
        first: int = int(low)
        last: int = int(high)
        number: int = min(max(last - first + 1, 0), count)
        first = first % count
        if first < 0:
            first += count
        return first, number
