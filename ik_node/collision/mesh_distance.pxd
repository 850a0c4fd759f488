include "mesh_distance.pxi"
# Python: TriangleMesh


@cython.locals(p='vector3')
cpdef bint are_around(const double[:, ::1] vertices, const int[:, ::1] faces,
                      const double[:, :] points)
