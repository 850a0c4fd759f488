include "joint_path.pxi"


cdef class JointPath:
    cdef Memory memory
    cdef readonly int count, n
    cdef vector parts, dq, ddq, velocity, acceleration, x

    cpdef object quickest(self)
