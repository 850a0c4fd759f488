cimport ik_node.spatial.so3 as so3
cimport cython

@cython.locals(M='double[3][3]')
cpdef tuple quaternion_from_matrix(const double[:, :] R)
@cython.locals(M='double[3][3]')
cpdef tuple rotation_log(const double[:, :] R)
cpdef tuple rotation_series(double angle2)
@cython.locals(M='double[3][3]')
cpdef object right_jacobian_inverse(double x, double y, double z)
