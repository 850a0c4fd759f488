"""The redundancy parameters of a joint configuration."""

from ik_node._jit import Integers, Vector, entry
from ik_node.kinematics.forward import PRISMATIC
from ik_node.solvers.analytic.families.swivel import swivel_of
from ik_node.solvers.analytic.structure import (
    PLANAR_FREE,
    SWIVEL,
    structure_joints,
    structure_lines,
)
from ik_node.solvers.analytic.subproblems.vector3 import dot, row


@entry
def parameters_of(codes: Integers, numbers: Vector, q: Vector, parameters: Vector) -> None:
    """Write the redundancy parameters of a configuration q (n,) into parameters, rad or m."""
    family = codes[0]
    kinds, columns, locked = structure_joints(codes)
    axes, points = structure_lines(codes, numbers)
    for j in range(kinds.shape[0]):
        if locked[j] >= 0:
            parameters[locked[j]] = q[columns[j]]
    if family == SWIVEL:
        parameters[codes[3]] = swivel_of(axes, points, q)
    elif family == PLANAR_FREE:
        total, first = 0.0, -1
        for j in range(kinds.shape[0]):
            if kinds[j] != PRISMATIC and columns[j] >= 0:
                first = j if first < 0 else first
                total += q[columns[j]] * dot(row(axes, j), row(axes, first))
        parameters[codes[3]] = total
