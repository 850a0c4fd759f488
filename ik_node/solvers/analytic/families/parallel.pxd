from libc cimport math
cimport ik_node.solvers.analytic.families.closed_loop as closed_loop
cimport ik_node.kinematics.kinds as kinds
cimport ik_node.solvers.analytic.subproblems.parallel_triple as parallel_triple
cimport ik_node.solvers.analytic.subproblems.sizes as sizes
from ik_node.support.arrays cimport rows
from ik_node.solvers.analytic.families.closed_family cimport ClosedFamily
from ik_node.solvers.analytic.families.nominal cimport ClosedForm
from ik_node.spatial.vector3 cimport vector3
from ik_node.spatial.angles cimport solve_sinusoid
from ik_node.spatial.vector3 cimport (
    along, dot, minus, moved_back, norm, perpendicular, rotated_back, row)

cdef double _SINE
cdef double _PARALLEL


cdef class ParallelTriple(ClosedFamily):
    cdef int solve(self, ClosedForm work, int n, rows out) noexcept nogil

cdef bint _rotate_into_reach(ClosedForm work, int place, int j, vector3 h, vector3 p1, vector3 p2,
                             vector3 p3, double slack) noexcept nogil
