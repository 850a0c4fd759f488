"""Shortest path over a ladder of candidates, by dynamic programming.

A rung has the candidates of one pose. Of all sequences with one candidate of every rung, the best
has the fewest breaks, these as late as possible, then the least travel [Bellman 1957]. A break is
a step on which a joint moves farther than it may.
"""

import math

from ik_node._jit import Booleans, Integers, Matrix, Vector, clock, entry, inline

_TURN = 2.0 * math.pi
_LOOK = 100_000  # steps that are compared from one look at the clock to the next


@entry
def shortest_path(q: Matrix, first: Integers, cost: Vector, cyclic: Booleans, scale: Vector,
                  most: float, anchored: bool, widest: bool, deadline: float, state: Matrix,
                  chosen: Integers) -> float:
    """Write the chosen candidate of every rung into chosen (m,), −1 where a rung has none.

    q (k, n): candidates, rad or m; those of rung i are first[i] … first[i + 1] − 1. cost (k,): of
    each candidate. cyclic (n,): joints whose steps are measured but for whole turns. scale (n,):
    factor of a joint's step in the travel Σ (scale Δq)². most: largest step of a joint, rad or m.
    anchored: whether the first rung is what the path begins from, by a step of any size. widest:
    instead of the travel, minimise the largest step of any joint. Steps over rungs without
    candidates are not limited. deadline: of `clock`, s; after it each candidate is reached from the
    best one before alone. state (k, 3): scratch. Return the largest step that is not a break
    with `widest`, else the travel with the costs of the candidates.
    """
    m = chosen.shape[0]
    before, until = 0, 0  # candidates of the rung before
    gap, late, steps = False, False, 0
    for i in range(m):
        begin, end = first[i], first[i + 1]
        if begin == end:
            gap = True
            continue
        lead, fewest, least = -1, math.inf, math.inf
        for p in range(before, until):
            if state[p, 0] < fewest or (state[p, 0] == fewest and state[p, 1] < least):
                lead, fewest, least = p, state[p, 0], state[p, 1]
        # Of breaks as many, those that come later count a little less.
        broken = fewest + (1.0 + (m - i) / (m * (m + 1.0)))
        allowed = math.inf if gap else most
        begins = anchored and until == first[1]
        steps += (end - begin) * (until - before)
        if steps >= _LOOK:
            late, steps = clock() >= deadline, 0
        if late:
            before, until = lead, lead + 1
        for c in range(begin, end):
            own = 0.0 if widest else cost[c]
            if lead < 0:
                state[c, 0], state[c, 1], state[c, 2] = 0.0, own, -1.0
                continue
            breaks, total, source = broken, least, lead
            for p in range(before, until):
                if state[p, 0] > breaks or (state[p, 0] == breaks and state[p, 1] >= total):
                    continue
                room = math.inf if state[p, 0] < breaks else total
                if begins and widest:
                    reached = 0.0
                else:
                    reached = _travel(q, p, c, cyclic, scale, allowed, widest, state[p, 1], room)
                if reached < room:
                    breaks, total, source = state[p, 0], reached, p
            state[c, 0], state[c, 1], state[c, 2] = breaks, total + own, source
        before, until, gap = begin, end, anchored and i == 0
    last, fewest, least = -1, math.inf, math.inf
    for p in range(before, until):
        if state[p, 0] < fewest or (state[p, 0] == fewest and state[p, 1] < least):
            last, fewest, least = p, state[p, 0], state[p, 1]
    for i in range(m - 1, -1, -1):
        chosen[i] = -1
        if first[i] <= last < first[i + 1]:
            chosen[i] = last
            last = int(state[last, 2])
    return least


@inline
def _travel(q: Matrix, p: int, c: int, cyclic: Booleans, scale: Vector, most: float, widest: bool,
            total: float, room: float) -> float:
    """Return the travel up to candidate c by way of p; infinite for a break, or beyond `room`."""
    for k in range(q.shape[1]):
        step = q[c, k] - q[p, k]
        if cyclic[k]:
            step -= _TURN * round(step / _TURN)
        if abs(step) > most:
            return math.inf
        if widest:
            total = max(total, abs(step))
        else:
            total += (scale[k] * step) ** 2
        if total >= room:
            return math.inf
    return total
