from libc cimport math
cimport ik_node.kinematics.kinds as kinds
cimport ik_node.solvers.analytic.subproblems.parallel_triple as parallel_triple
from ik_node.support.arrays cimport vector
from ik_node.solvers.analytic.families.closed_family cimport ClosedFamily, ClosedForm
from ik_node.spatial.vector3 cimport motion, vector3
from ik_node.spatial.vector3 cimport (
    along, dot, minus, motion_of, moved, moved_back, perpendicular, rotated, rotation_about, row)


cdef class PlanarTriple(ClosedFamily):
    cdef int solve(self, ClosedForm work) noexcept nogil


cdef class FreePlanarTriple(PlanarTriple):
    cdef int solve(self, ClosedForm work) noexcept nogil
    cdef double own_parameter(self, vector q) noexcept nogil

cdef motion _rotated_tip(motion T_tip_base, motion M, vector3 h, double angle) noexcept nogil
