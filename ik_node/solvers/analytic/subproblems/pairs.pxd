from libc cimport math
cimport ik_node.kinematics.kinds as kinds
cimport ik_node.solvers.analytic.subproblems.two_rotations as two_rotations
cimport ik_node.support.polynomials as polynomials
from ik_node.support.arrays cimport columns, vector
from ik_node.solvers.analytic.subproblems.two_rotations cimport joint
from ik_node.spatial.vector3 cimport vector3
from ik_node.spatial.angles cimport direction, rotation_between, solve_sinusoid
from ik_node.spatial.vector3 cimport (
    along, cross, dot, minus, perpendicular, rotated_about, rotated_by)
cimport cython

cdef int place_point(joint j1, joint j2, vector3 x, vector3 t, vector start, double size,
                     double slack, columns found) noexcept nogil
cdef void place_by_one(joint j1, vector3 x, vector3 t, vector start, int k, double size,
                       vector value) noexcept nogil
cdef int _prismatic_last(joint j1, joint j2, vector3 x, vector3 t, vector start, int k,
                         double size, double slack, columns found) noexcept nogil
@cython.locals(first=cython.bint)
cdef int keep_direction(joint j1, joint j2, vector3 h, double height, vector3 u, vector3 x,
                        vector start, double size, double slack, columns found) noexcept nogil
cdef int keep_direction_by_one(joint j1, vector3 h, double height, vector3 u, vector3 x,
                               vector start, columns found) noexcept nogil
cdef (double, double) rotation_onto(vector3 h, vector3 u, vector3 v, double start) noexcept nogil
cdef (int, double, double, double, double) _solve_better(
    double a1, double b1, double rest_1, double unit_1, double a2, double b2, double rest_2,
    double unit_2, double start, double slack) noexcept nogil
cdef int make_rotation(vector3 h1, vector3 h2, vector3 w, vector3 y, vector3 z,
                       columns found) noexcept nogil
cdef int solve_planar_pair(vector3 h, vector3 p1, vector3 p2, double sign_2, vector3 target,
                           vector3 b, vector3 rotated_b, columns found) noexcept nogil
