from libc cimport math
cimport ik_node.solvers.analytic.subproblems.point_3r as point_3r
from ik_node.support.arrays cimport columns, points, vector
from ik_node.spatial.vector3 cimport vector3
from ik_node.spatial.angles cimport direction, rotation_between, solve_sinusoid
from ik_node.spatial.vector3 cimport (
    along, cross, dot, minus, norm, perpendicular, rotated_by, times)
from libc.math cimport rint as round

cdef double INF, TWO_PI, _ROUNDING, ALIGNED, _TURNING

cdef int make_rotation(vector3 h1, vector3 h2, vector3 h3, vector3 y, vector3 z, points ranges,
                       int place, double slack, columns found) noexcept nogil
cdef double _share(vector first, vector last, double off, double sign) noexcept nogil
cdef (int, double, double, double, double) _middle_rotations(vector3 h1, vector3 h2, vector3 h3,
                                                             vector3 y, double slack) noexcept nogil
cdef double _angle_between(vector3 u, vector3 v) noexcept nogil
cdef vector3 across(vector3 h2, vector3 h3) noexcept nogil
cdef void make_rotation_by_two(vector3 h1, vector3 h2, vector3 w, vector3 y, vector3 z,
                               columns found) noexcept nogil
cdef (double, double) rotation_onto(vector3 h, vector3 u, vector3 v, double start) noexcept nogil
