from libc cimport math
from ik_node.kernels cimport bounded, problem as problems, tree as trees
from ik_node.kernels.arrays cimport matrix, vector
from ik_node.kernels.problem cimport Found, Problem
from ik_node.kernels.tree cimport Tree
from ik_node.kernels.velocity cimport Limits, Work
cimport cython

cdef int CONVERGED, STALLED, EXHAUSTED, PATIENCE
cdef double LEAST, MOST, FIRST, PROGRESS, SMALL, TINY, TURN


cdef class Descent:
    cdef Tree tree
    cdef Problem problem
    cdef Limits limits
    cdef list idle
    cdef bint floats
    cdef int max_iterations

    @cython.locals(work=Work)
    cpdef tuple run(self, double[::1] q)


@cython.locals(settles=cython.bint, met=cython.bint)
cdef int descend(Descent own, Work work, vector trial, vector q) except -1 nogil
cdef int rows_at(Descent own, Work work, vector q) except -1 nogil
cdef void accept(Work work) noexcept nogil
cdef void set_bounds(Descent own, Work work, vector q) noexcept nogil
cdef double left2(Descent own, Work work) noexcept nogil
cdef bint shorten_rotation(vector q) noexcept nogil
