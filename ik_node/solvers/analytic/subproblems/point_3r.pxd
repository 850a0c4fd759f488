from libc cimport math
cimport ik_node.support.polynomials as polynomials
from ik_node.support.arrays cimport columns, pose, vector
from ik_node.spatial.vector3 cimport vector3
from ik_node.spatial.angles cimport rotation_between, solve_sinusoid
from ik_node.spatial.vector3 cimport (
    along, cross, dot, minus, norm, perpendicular, rotated_about, times)
cimport cython

ctypedef (int, vector3, vector3) joint

cdef double NEARLY
cdef int MOST_VALUES

@cython.locals(parallel=cython.bint)
cdef int three_rotations(joint j1, joint j2, joint j3, vector3 x, vector3 t, vector start,
                         int first, double size, double slack, pose rotations,
                         columns found) noexcept nogil
@cython.locals(parallel=cython.bint)
cdef int prismatic_last(joint j1, joint j2, joint j3, vector3 x, vector3 t, vector start,
                        int first, double size, double slack, pose rotations,
                        columns found) noexcept nogil
cdef (vector3, vector3, vector3, double, double, double) _common_normal(vector3 h1, vector3 p1,
                                                                        vector3 h2, vector3 p2,
                                                                        double size) noexcept nogil
cdef int _first_two(vector3 h1, vector3 p1, vector3 h2, vector3 foot_2, vector3 a, vector3 b,
                    bint parallel, bint meet, double P, double Q, vector3 v, double u3, double v3,
                    vector3 t, vector start, int first, double size, double slack, columns found,
                    int solutions) noexcept nogil
cdef (double, double) start_of(vector start, int k, bint reverse) noexcept nogil
cdef void write_values(columns found, int i, double u1, double v1, double u2, double v2, double u3,
                       double v3) noexcept nogil
