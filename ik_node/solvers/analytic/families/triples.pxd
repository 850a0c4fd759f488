from libc cimport math
cimport ik_node.kinematics.kinds as kinds
cimport ik_node.solvers.analytic.families.closed_family as closed_family
cimport ik_node.solvers.analytic.subproblems.parallel_triple as parallel_triple
cimport ik_node.solvers.analytic.subproblems.position_triple as position_triple
cimport ik_node.solvers.analytic.subproblems.rotation_triple as rotation_triple
from ik_node.support.arrays cimport vector
from ik_node.solvers.analytic.families.closed_family cimport ClosedFamily, ClosedForm
from ik_node.solvers.analytic.subproblems.point_3r cimport joint
from ik_node.spatial.vector3 cimport vector3
from ik_node.spatial.angles cimport solve_sinusoid
from ik_node.spatial.vector3 cimport (
    along, dot, minus, motion_of, moved, moved_back, norm, perpendicular, rotated, rotated_about,
    rotated_back, rotation_about, row, times)

cdef double _SINE, _PARALLEL


cdef class Triple(ClosedFamily):
    cdef int solve(self, ClosedForm work) noexcept nogil
    cdef int solve_beside(self, ClosedForm work) noexcept nogil
    cdef int solve_triple(self, ClosedForm work, int branch) noexcept nogil


cdef class SphericalTriple(Triple):
    cdef int solve_beside(self, ClosedForm work) noexcept nogil
    cdef int solve_triple(self, ClosedForm work, int branch) noexcept nogil


cdef class ParallelTriple(Triple):
    cdef int solve_beside(self, ClosedForm work) noexcept nogil
    cdef int solve_triple(self, ClosedForm work, int branch) noexcept nogil
    cdef int _solve_planar(self, ClosedForm work) noexcept nogil


cdef class FreePlanarTriple(ParallelTriple):
    cdef int solve(self, ClosedForm work) noexcept nogil
    cdef double own_parameter(self, vector q) noexcept nogil

cdef bint _rotate_into_reach(ClosedForm work, int place, int j, double slack) noexcept nogil
cdef joint _beside(ClosedForm work, int behind, int k) noexcept nogil
cdef int _round(ClosedForm work, int j) noexcept nogil
cdef vector3 _through(ClosedForm work, int place, int span, vector3 x, double at) noexcept nogil
cdef vector3 _back(ClosedForm work, int j, vector3 x, double at) noexcept nogil
