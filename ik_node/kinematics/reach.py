"""How far a chain's tip can get from its first joint, whatever the joint values."""

import numpy as np

from ik_node.kinematics.axes import axes_at_zero
from ik_node.kinematics.forward import SLIDE


def reach(chain):
    """Return (centre (3,), radius) of a ball, base frame, m, that holds every position of the tip.

    chain: `ChainArrays`. On a revolute axis any point is as good as another: it stands still in
    both links the axis joins. The points are slid along their axes until the way over all of them
    is shortest, so that the bound does not depend on where a file puts its frames. Prismatic arcs
    add their travel, without limits an infinite one.
    """
    arcs = len(chain.column)
    centre, axis = axes_at_zero(chain)
    for _ in range(20):
        for k in range(arcs):
            if chain.kind[k] != SLIDE:
                before = centre[k - 1] if k else None
                centre[k] += axis[k] * _shortest(centre[k], axis[k], before, centre[k + 1])
    travel = 0.0
    for k in np.flatnonzero(chain.kind == SLIDE):
        limits = chain.ratio[k] * np.array([chain.lower[chain.column[k]],
                                            chain.upper[chain.column[k]]])
        travel += np.abs(limits).max()
    return centre[0], float(np.linalg.norm(np.diff(centre, axis=0), axis=1).sum() + travel)


def _shortest(point, axis, before, after):
    """Return how far to slide a point along its axis to make before–point–after shortest."""
    t_after = (after - point) @ axis
    if before is None:
        return t_after
    t_before = (before - point) @ axis
    d_after = np.linalg.norm(after - point - t_after * axis)
    d_before = np.linalg.norm(before - point - t_before * axis)
    if d_before + d_after < 1e-12:
        return 0.5 * (t_before + t_after)
    return (t_before * d_after + t_after * d_before) / (d_before + d_after)
