from libc cimport math
cimport ik_node.kinematics.kinds as kinds
cimport ik_node.support.polynomials as polynomials
cimport ik_node.solvers.analytic.subproblems.point_3r as point_3r
cimport ik_node.solvers.analytic.subproblems.position_triple as position_triple
cimport ik_node.solvers.analytic.subproblems.rotation_triple as rotation_triple
from ik_node.support.arrays cimport columns, pose, vector
from ik_node.solvers.analytic.subproblems.point_3r cimport joint
from ik_node.spatial.vector3 cimport vector3
from ik_node.spatial.angles cimport direction, rotation_between, solve_sinusoid
from ik_node.spatial.vector3 cimport cross, dot, minus, norm, perpendicular, rotated_by
cimport cython

cdef double _DEPENDENT, _ON_AXIS

@cython.locals(swap=cython.bint)
cdef int keep_direction(joint j1, joint j2, joint j3, vector3 h, double height, vector3 u,
                        vector3 x, vector start, double size, double slack, pose rotations,
                        columns found) noexcept nogil
cdef (vector3, vector3, vector3) _circle(vector3 h, vector3 v, double sign) noexcept nogil
cdef int _with_middle(vector3 h1, vector3 h2, vector3 h3, vector3 h, vector3 u, double c1,
                      double s1, double c3, double s3, vector start, columns found,
                      int solutions) noexcept nogil
cdef int _one_prismatic(joint j1, joint j2, joint j3, vector3 h, double height, vector3 u,
                        vector3 x, vector start, double slack, columns found) noexcept nogil
cdef int solve_planar_arm(vector3 h, vector3 p1, vector3 p2, vector3 p3, double sign_2,
                          double sign_3, vector3 target, vector3 b, vector3 rotated_b,
                          double size, double slack, columns found) noexcept nogil
@cython.locals(first=cython.bint)
cdef int keep_direction_by_two(joint j1, joint j2, vector3 h, double height, vector3 u, vector3 x,
                               vector start, double size, double slack, columns found) noexcept nogil
cdef int keep_direction_by_one(joint j1, vector3 h, double height, vector3 u, vector3 x,
                               vector start, columns found) noexcept nogil
cdef int solve_planar_pair(vector3 h, vector3 p1, vector3 p2, double sign_2, vector3 target,
                           vector3 b, vector3 rotated_b, columns found) noexcept nogil
