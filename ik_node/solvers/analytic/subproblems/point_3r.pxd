from ik_node.support.arrays cimport columns, vector
from ik_node.spatial.vector3 cimport vector3

ctypedef (int, vector3, vector3) joint
cdef int MOST_VALUES

cdef int _first_two(vector3 h1, vector3 p1, vector3 h2, vector3 foot_2, vector3 a, vector3 b,
                    bint parallel, bint meet, double P, double Q, vector3 v, double u3, double v3,
                    vector3 t, vector start, int first, double size, double slack, columns found,
                    int solutions) noexcept nogil
include "point_3r.pxi"
