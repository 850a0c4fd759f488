from libc cimport math
cimport ik_node.solvers.analytic.subproblems.rotation_triple as rotation_triple
from ik_node.support.arrays cimport points, vector
from ik_node.solvers.analytic.families.closed_family cimport ClosedFamily, ClosedForm
from ik_node.spatial.angles cimport solve_sinusoid
from ik_node.spatial.vector3 cimport motion, vector3
from ik_node.spatial.vector3 cimport (
    along, composed, cross, dot, minus, moved, norm, perpendicular, reversed_motion, rotated,
    rotated_about, rotated_by, rotation_about, row, times)

cdef double NAN, _BESIDE, _NOWHERE, _ROUNDING, _ON_THE_LINE


cdef class Swivel(ClosedFamily):
    cdef int solve(self, ClosedForm work) noexcept nogil
    cdef double own_parameter(self, vector q) noexcept nogil
    cdef double towards(self, motion M, vector3 hint) noexcept nogil

cdef (vector3, vector3, int, double, double, double, double) swivel_elbows(
    points axes, points points, motion M, double size, double slack) noexcept nogil
cdef motion shoulder_rotation(points axes, points points, double c4, double s4, vector3 line,
                              vector3 outward) noexcept nogil
cdef (double, double) middle_rotation(vector3 h1, vector3 h2, vector3 h3) noexcept nogil
cdef (double, double, double) _distance(vector3 h, vector3 p, vector3 s, vector3 w) noexcept nogil
cdef (vector3, vector3) _plane(vector3 h, vector3 p, vector3 s, vector3 w, double c,
                               double sine) noexcept nogil
cdef vector3 _reference(vector3 line, vector3 h) noexcept nogil
cdef double _angle(vector3 line, vector3 reference, vector3 v) noexcept nogil
cdef vector3 _unit(vector3 v) noexcept nogil
