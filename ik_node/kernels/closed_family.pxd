from libc cimport math
from ik_node.kernels cimport checks, kinds, sizes
from ik_node.kernels.arrays cimport Memory, pose, rows, vector
from ik_node.kernels.nominal cimport ClosedForm, Structure
from ik_node.kernels.vector3 cimport composed, motion_of, moved, reversed_motion, rotated, rotation_about, row, standstill, translated
cimport cython


cdef class ClosedFamily:
    cdef Structure structure
    cdef int solve(self, ClosedForm work, int n, rows out) noexcept nogil
    cdef double own_parameter(self, vector q) noexcept nogil
    cdef void parameters_of(self, vector q, vector parameters) noexcept nogil
    @cython.locals(memory=Memory, found=vector, count=int, i=int)
    cpdef object parameters_at(self, q)
    @cython.locals(has_locks=cython.bint)
    cdef int branches(self, pose T_base_goal, vector parameters, vector q0, int n, ClosedForm work,
                      rows out) noexcept nogil
    @cython.locals(memory=Memory, work=ClosedForm, n=int, count=int, i=int, k=int, given=vector,
                   start=vector, out=rows)
    cpdef object nominal(self, T_base_goal, parameters, q0)
