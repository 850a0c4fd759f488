from libc cimport math
cimport ik_node.kinematics.kinds as kinds
cimport ik_node.solvers.analytic.subproblems.point_3r as point_3r
cimport ik_node.support.polynomials as polynomials
from ik_node.support.arrays cimport columns, pose, vector
from ik_node.solvers.analytic.subproblems.point_3r cimport joint
from ik_node.spatial.vector3 cimport vector3
from ik_node.spatial.angles cimport rotation_between, solve_sinusoid
from ik_node.spatial.vector3 cimport (
    along, cross, dot, minus, norm, perpendicular, rotated_about, times)
cimport cython


cdef int place_point(joint j1, joint j2, joint j3, vector3 x, vector3 t, vector start, double size,
                     double slack, pose rotations, columns found) noexcept nogil
cdef int count_prismatic(joint j1, joint j2, joint j3) noexcept nogil
cdef bint _are_special(joint j1, joint j2, double size) noexcept nogil
cdef int _read_from_the_end(bint prismatic, columns found, int count) noexcept nogil
cdef int _prismatic_between(joint j1, joint j2, joint j3, vector3 x, vector3 t, vector start,
                            double size, double slack, pose rotations,
                            columns found) noexcept nogil
cdef int _one_revolute(joint j1, joint j2, joint j3, vector3 x, vector3 t, vector start,
                       double size, double slack, columns found) noexcept nogil
cdef int _three_prismatic(vector3 h1, vector3 h2, vector3 h3, vector3 displacement,
                          columns found) noexcept nogil
cdef int place_by_two(joint j1, joint j2, vector3 x, vector3 t, vector start, double size,
                      double slack, columns found) noexcept nogil
cdef void place_by_one(joint j1, vector3 x, vector3 t, vector start, int k, double size,
                       vector value) noexcept nogil
cdef int _by_prismatic_last(joint j1, joint j2, vector3 x, vector3 t, vector start, int k,
                         double size, double slack, columns found) noexcept nogil
cdef (int, double, double, double, double) solve_better(
    double a1, double b1, double rest_1, double unit_1, double a2, double b2, double rest_2,
    double unit_2, double start, double slack) noexcept nogil
