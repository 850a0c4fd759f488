from libc cimport math
from ik_node.support.arrays cimport pose, rotation

cdef double SMALL_ANGLE, NO_HEADING

cdef (double, double, double, double) quaternion_from_matrix(rotation R) noexcept nogil
cdef (double, double, double) rotation_log(rotation R) noexcept nogil
cdef (double, double, double) rotation_series(double angle2) noexcept nogil
cdef void right_jacobian_inverse(double x, double y, double z, rotation M) noexcept nogil
cdef void rotate_by_vector(pose T, double wx, double wy, double wz) noexcept nogil
cdef (double, double, double) left_jacobian_row(
    double x, double y, double z, double wx, double wy, double wz, double b,
    double d) noexcept nogil
cdef (double, double, double, double) heading(double a, double b, double c) noexcept nogil
