cimport ik_node.spatial.so3 as so3
cimport cython

@cython.locals(A='const double[:, :]', M='double[3][3]')
cpdef tuple quaternion_from_matrix(R)
@cython.locals(x=double, y=double, z=double, w=double, T='double[:, ::1]')
cpdef object pose_from_quaternion(xyz, quaternion)
@cython.locals(x=double, y=double, z=double, w=double, norm=double)
cpdef object pose_to_matrix(pose)
@cython.locals(x=double, y=double, z=double)
cdef tuple _xyz(p)
@cython.locals(A='const double[:, :]', M='double[3][3]')
cpdef tuple rotation_log(R)
@cython.locals(s=double, c=double)
cpdef object rotation_exp(w)
@cython.locals(M='double[3][3]')
cpdef object right_jacobian_inverse(w)
