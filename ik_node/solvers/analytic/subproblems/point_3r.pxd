include "point_3r.pxi"

cdef int _first_two(vector3 h1, vector3 p1, vector3 h2, vector3 foot_2, vector3 a, vector3 b,
                    bint parallel, bint meet, double P, double Q, vector3 v, double u3, double v3,
                    vector3 t, vector start, int first, double size, double slack, columns found,
                    int solutions) noexcept nogil
