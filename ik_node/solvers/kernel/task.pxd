from libc cimport math
cimport ik_node.spatial.so3 as so3
from ik_node.support.arrays cimport Memory, columns, pose, rotation, vector
cimport cython


cdef class TipTask:
    cdef Memory memory
    cdef pose T
    cdef vector weights, rates
    cdef bint along_goal, partial_orientation
    cdef int rows, heading

    @cython.locals(some_free=cython.bint, orientation_uneven=cython.bint,
                   position_uneven=cython.bint)
    cdef void prepare(self) noexcept nogil


cdef void pose_error(pose T_base_goal, pose T_base_tip, rotation R, vector e) noexcept nogil
cdef (double, double) task_error(TipTask task, pose T_base_tip, rotation R, vector e,
                                 vector V) noexcept nogil
cdef void task_jacobian(TipTask task, vector e, rotation R, int n, columns J) noexcept nogil
