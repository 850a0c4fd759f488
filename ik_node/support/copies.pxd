from ik_node.support.arrays cimport columns, matrix, pose, vector

cdef void copy_vector(vector v, double[::1] out) noexcept
cdef void copy_pose(pose T, double[:, ::1] out) noexcept
cdef void copy_columns(columns J, double[:, ::1] out) noexcept
cdef void copy_matrix(matrix M, double[:, ::1] out) noexcept
