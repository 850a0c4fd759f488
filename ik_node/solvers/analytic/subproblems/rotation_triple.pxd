from libc cimport math
cimport ik_node.solvers.analytic.subproblems.two_rotations as two_rotations
from ik_node.support.arrays cimport columns, points
from ik_node.spatial.vector3 cimport vector3
from ik_node.spatial.angles cimport direction, solve_sinusoid
from ik_node.spatial.vector3 cimport (
    along, cross, dot, minus, norm, perpendicular, rotated_by, times)
from libc.math cimport rint as round

cdef double INF, TWO_PI, _ROUNDING, ALIGNED
cdef double _TURNING

cdef int make_rotation(vector3 h1, vector3 h2, vector3 h3, vector3 y, vector3 z, points ranges,
                       double slack, columns found) noexcept nogil
cdef double _share(points ranges, double off, double sign) noexcept nogil
cdef (int, double, double, double, double) _middle_rotations(vector3 h1, vector3 h2, vector3 h3,
                                                             vector3 y, double slack) noexcept nogil
cdef double _angle_between(vector3 u, vector3 v) noexcept nogil
cdef vector3 across(vector3 h2, vector3 h3) noexcept nogil
cdef void copy_ranges(points ranges, int place, points out) noexcept nogil
