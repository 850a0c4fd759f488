from libc cimport math
cimport ik_node.support.arrays as arrays
from ik_node.support.arrays cimport Memory, vector

cdef double INF, HIGHEST
cdef int STEPS


cdef class JointPath:
    cdef Memory memory
    cdef readonly int count, n
    cdef vector parts, dq, ddq, velocity, acceleration, x

    cpdef object quickest(self)


cdef void two_passes(JointPath path) noexcept nogil
cdef double highest(JointPath path, int i, double step, double most) noexcept nogil
cdef double bound(JointPath path, int i, double step) noexcept nogil
cdef (double, double, double, double) push(JointPath path, int i, double step,
                                           double x) noexcept nogil
