from libc cimport math
cimport ik_node.kinematics.kinds as kinds
cimport ik_node.solvers.analytic.subproblems.sizes as sizes
cimport ik_node.solvers.analytic.subproblems.two_rotations as two_rotations
cimport ik_node.support.polynomials as polynomials
from ik_node.support.arrays cimport columns, pose, vector
from ik_node.spatial.vector3 cimport vector3
from ik_node.spatial.angles cimport rotation_between, solve_sinusoid
from ik_node.spatial.vector3 cimport along, cross, dot, minus, norm, perpendicular, times
cimport cython


cdef int place_point(int k1, int k2, int k3, vector3 h1, vector3 p1, vector3 h2, vector3 p2,
                     vector3 h3, vector3 p3, vector3 x, vector3 t, vector start, double size,
                     double slack, pose rotations, columns found) noexcept nogil
cdef int count_prismatic(int k1, int k2, int k3) noexcept nogil
@cython.locals(parallel=cython.bint, meets=cython.bint)
cdef (bint, bint) _relation(vector3 h1, vector3 p1, vector3 h2, vector3 p2,
                            double size) noexcept nogil
cdef int _read_from_the_end(bint prismatic, columns found, int count) noexcept nogil
cdef int _prismatic_between(vector3 h1, vector3 p1, vector3 h2, vector3 h3, vector3 p3, vector3 x,
                            vector3 t, vector start, double size, double slack, pose rotations,
                           columns found) noexcept nogil
cdef int _one_revolute(int k1, int k2, int k3, vector3 h1, vector3 p1, vector3 h2, vector3 p2,
                      vector3 h3, vector3 p3, vector3 x, vector3 t, vector start, double size,
                      double slack, columns found) noexcept nogil
cdef int _three_prismatic(vector3 h1, vector3 h2, vector3 h3, vector3 displacement,
                         columns found) noexcept nogil
