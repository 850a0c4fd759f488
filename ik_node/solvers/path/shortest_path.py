"""Shortest path over a ladder of candidates, by dynamic programming.

A rung has the candidates of one pose. Of all sequences with one candidate of every rung, the best
has the fewest breaks, these as late as possible, then the least travel [Bellman 1957]. A break is
a step on which a joint moves farther than it may.
"""

import math
from typing import Any

import cython
import numpy as np

from ik_node.support import clock
from ik_node.support.arrays import Memory, Points

INF, _TURN = math.inf, 2.0 * math.pi
NONE = np.empty((0, 2), dtype=np.int_)
COMPARED = 10_000  # steps that are compared from one look at the clock to the next


class Rungs:
    """Candidates of m poses."""

    def __init__(self, q: np.ndarray, first: np.ndarray, cost: np.ndarray, cyclic: np.ndarray,
                 scale: np.ndarray, left_out: np.ndarray = NONE, bound: Any = INF) -> None:
        """Copy candidates; raises ValueError for other shapes.

        - q: (k, n) rad or m; those of rung i are first[i] … first[i + 1] − 1, first: (m + 1,).
        - cost: (k,) of each candidate.
        - cyclic: (n,) whether a joint's steps are measured but for whole turns.
        - scale: (n,) factor of a joint's step in the travel Σ (scale Δq)².
        - bound: largest step of each joint, whatever `most` allows, rad or m: a number or (n,).
        - left_out: (k, 2) steps that are not possible, by their candidates, as breaks are.
        """
        count, self.n = q.shape
        self.m = len(first) - 1
        if (self.m < 0 or first[0] != 0 or first[self.m] != count or (np.diff(first) < 0).any()
                or len(cost) != count or len(cyclic) != self.n or len(scale) != self.n
                or ((left_out < 0) | (left_out >= count)).any()):
            raise ValueError('the candidates of the rungs and what comes with them do not fit')
        self.memory = memory = Memory()
        self.q, self.first = memory.vector(q.ravel()), memory.integers(first)
        self.cost, self.cyclic = memory.vector(cost), memory.integers(cyclic)
        self.scale, self.bound = memory.vector(scale), memory.vector(np.full(self.n, bound))
        # Of the best path to each candidate: its breaks, its travel and the one before.
        self.state = memory.points(np.zeros((count, 3)))
        self.chosen = memory.integers(np.zeros(self.m))
        # Those before that no step leads from, and where those of each candidate begin.
        order = np.argsort(left_out[:, 1], kind='stable')
        self.left_out = memory.integers(left_out[order, 0])
        self.begin = memory.integers(np.searchsorted(left_out[order, 1], np.arange(count + 1)))

    def shortest_path(self, most: float, anchored: bool, widest: bool,
                      deadline: float) -> tuple[float, np.ndarray]:
        """Return the travel of the best path, and its candidate of every rung (m,).

        −1 stands where a rung has none; steps over it are not limited. most: largest step of a
        joint, rad or m. anchored: whether the first rung is what the path begins from, by a step of
        any size. widest: whether the largest step of any joint is minimised, and returned, instead
        of the travel. deadline: by `clock`, s; after it each candidate is reached from the best one
        before alone.
        """
        with cython.nogil:
            least = choose(self, most, anchored, widest, deadline)
        return least, np.array([self.chosen[i] for i in range(self.m)], dtype=np.int_)


def choose(rungs: Rungs, most: float, anchored: bool, widest: bool, deadline: float) -> float:
    """Write the best candidate of every rung into rungs.chosen; see `Rungs.shortest_path`."""
    state, first, m = rungs.state, rungs.first, rungs.m
    before, until = 0, 0  # candidates of the rung before
    gap, late, steps = False, False, 0
    for i in range(m):
        begin, end = first[i], first[i + 1]
        if begin == end:
            gap = True
            continue
        lead = leader(state, before, until)
        fewest = state[lead][0] if lead >= 0 else INF
        least = state[lead][1] if lead >= 0 else INF
        # Of breaks as many, those that come later count a little less.
        broken = fewest + (1.0 + (m - i) / (m * (m + 1.0)))
        allowed = INF if gap else most
        begins = anchored and until == first[1]
        bounded = begins or not gap
        for c in range(begin, end):
            steps += until - before
            if steps >= COMPARED:
                late, steps = late or clock.is_over(deadline), 0
            if late:
                before, until = lead, lead + 1
            own = 0.0 if widest else rungs.cost[c]
            if lead < 0:
                state[c][0], state[c][1], state[c][2] = 0.0, own, -1.0
                continue
            breaks, total, source = broken, least, lead
            for p in range(before, until):
                if state[p][0] > breaks or (state[p][0] == breaks and state[p][1] >= total):
                    continue
                if rungs.begin[c] < rungs.begin[c + 1] and is_left_out(rungs, p, c):
                    continue
                room = INF if state[p][0] < breaks else total
                reached = travel(rungs, p, c, allowed, bounded, widest, state[p][1], room)
                if begins and widest and reached < INF:
                    reached = 0.0
                if reached < room:
                    breaks, total, source = state[p][0], reached, p
            state[c][0], state[c][1], state[c][2] = breaks, total + own, source
        before, until, gap = begin, end, anchored and i == 0
    last: int = leader(state, before, until)
    least = state[last][1] if last >= 0 else INF
    for i in range(m - 1, -1, -1):
        rungs.chosen[i] = -1
        if first[i] <= last < first[i + 1]:
            rungs.chosen[i] = last
            last = int(state[last][2])
    return least


def is_left_out(rungs: Rungs, p: int, c: int) -> bool:
    """Tell whether no step leads from candidate p to candidate c."""
    k, end = rungs.begin[c], rungs.begin[c + 1]
    while k < end and rungs.left_out[k] != p:
        k += 1
    return k < end


def leader(state: Points, before: int, until: int) -> int:
    """Return the candidate with the fewest breaks, then the least travel; −1 without any."""
    lead, fewest, least = -1, INF, INF
    for p in range(before, until):
        if state[p][0] < fewest or (state[p][0] == fewest and state[p][1] < least):
            lead, fewest, least = p, state[p][0], state[p][1]
    return lead


def travel(rungs: Rungs, p: int, c: int, most: float, bounded: bool, widest: bool, total: float,
           room: float) -> float:
    """Return the travel up to candidate c by way of p; infinite for a break, or beyond `room`."""
    q, n, scale = rungs.q, rungs.n, rungs.scale
    for k in range(n):
        step = q[c * n + k] - q[p * n + k]
        if rungs.cyclic[k]:
            step -= _TURN * round(step / _TURN)
        if math.fabs(step) > most or (bounded and math.fabs(step) > rungs.bound[k]):
            return INF
        if widest:
            total = max(total, math.fabs(step))
        else:
            total += (scale[k] * step) * (scale[k] * step)
        if total >= room:
            return INF
    return total
