include "mesh_distance.pxi"


@cython.locals(p=vector3)
cpdef bint are_around(const double[:, ::1] vertices, const int[:, ::1] faces,
                      const double[:, :] points)
cdef vector3 _from(vector3 p, const double[:, ::1] vertices, int k) noexcept nogil
