from libc cimport math
cimport ik_node.kinematics.kinds as kinds
cimport ik_node.solvers.analytic.subproblems.pairs as pairs
cimport ik_node.solvers.analytic.subproblems.parallel_triple as parallel_triple
cimport ik_node.solvers.analytic.subproblems.position_triple as position_triple
cimport ik_node.solvers.analytic.subproblems.rotation_triple as rotation_triple
cimport ik_node.solvers.analytic.subproblems.sizes as sizes
from ik_node.solvers.analytic.families.closed_family cimport ClosedFamily, ClosedForm
from ik_node.solvers.analytic.subproblems.two_rotations cimport joint
from ik_node.spatial.vector3 cimport vector3
from ik_node.spatial.angles cimport solve_sinusoid
from ik_node.spatial.vector3 cimport (
    along, dot, minus, moved, moved_back, norm, perpendicular, rotated, rotated_about,
    rotated_back, rotated_by, row)

cdef double _SINE, _PARALLEL


cdef class SphericalTriple(ClosedFamily):
    cdef int solve(self, ClosedForm work) noexcept nogil
    cdef int _place_point(self, ClosedForm work, vector3 c) noexcept nogil
    cdef vector3 _across(self, ClosedForm work) noexcept nogil
    cdef int _make_rotation(self, ClosedForm work, vector3 w) noexcept nogil


cdef class ParallelTriple(ClosedFamily):
    cdef int solve(self, ClosedForm work) noexcept nogil
    cdef int _keep_direction(self, ClosedForm work, vector3 h, vector3 p1) noexcept nogil
    cdef int _solve_triple(self, ClosedForm work, vector3 h, vector3 across) noexcept nogil

cdef bint _rotate_into_reach(ClosedForm work, int place, int j, double slack) noexcept nogil
cdef joint _joint(ClosedForm work, int j) noexcept nogil
cdef joint _beside(ClosedForm work, int behind, int k) noexcept nogil
cdef vector3 _direction_through(ClosedForm work, int place, int span, vector3 v) noexcept nogil
cdef vector3 _point_through(ClosedForm work, int place, int span, vector3 x) noexcept nogil
cdef vector3 _direction_back(ClosedForm work, int j, vector3 v) noexcept nogil
cdef vector3 _point_back(ClosedForm work, int j, vector3 x) noexcept nogil
cdef void _copy_starts(ClosedForm work, int place, int span) noexcept nogil
cdef int _round(ClosedForm work, int j) noexcept nogil
cdef void _write_beside(ClosedForm work, int place, int span, int i, int count) noexcept nogil
cdef int _write_triple(ClosedForm work, int place, int span, int count,
                       int solutions) noexcept nogil
