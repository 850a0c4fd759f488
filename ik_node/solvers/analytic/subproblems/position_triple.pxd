from libc cimport math
cimport ik_node.kinematics.kinds as kinds
cimport ik_node.solvers.analytic.subproblems.sizes as sizes
cimport ik_node.solvers.analytic.subproblems.two_rotations as two_rotations
cimport ik_node.support.polynomials as polynomials
from ik_node.support.arrays cimport columns, pose, vector
from ik_node.solvers.analytic.subproblems.two_rotations cimport joint
from ik_node.spatial.vector3 cimport vector3
from ik_node.spatial.angles cimport rotation_between, solve_sinusoid
from ik_node.spatial.vector3 cimport along, cross, dot, minus, norm, perpendicular, times
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
