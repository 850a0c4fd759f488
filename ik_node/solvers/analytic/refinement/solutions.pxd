cimport ik_node.solvers.kernel.search as search
include "solutions.pxi"


cdef class Enumeration(Refinement):
    cdef int most, kept, moves
    cdef bint adds_twins, completes, thorough
    cdef ClosedFamily general
    cdef double pivot, doubtful
    cdef rows found
    cdef vector unmoved
    cdef void find(self, bint within) noexcept nogil
    cdef void _complete(self, bint within) noexcept nogil
    cdef void _refine_branches(self, int count, bint within) noexcept nogil
    cdef void _refine_trial(self, int branch, bint within) noexcept nogil
    cdef void _add_twins(self, bint within) noexcept nogil
    cdef void _keep(self, double error) noexcept nogil
    cdef void _put(self, int i, vector q, double error) noexcept nogil
    cdef void _drop(self, bint outside) noexcept nogil


cdef class Solutions:
    cdef readonly int most
    cdef ChainRecord chain
    cdef Settings settings
    cdef ClosedFamily family, general
    cdef list idle
    cdef const double[::1] start, ones
    cpdef object of_pose(self, const double[:, ::1] T_base_goal, bint within, double tolerance)
    @cython.locals(sets=Py_ssize_t, goals=Py_ssize_t, packed=cython.bint)
    cpdef object of_batch(self, const double[:, :, ::1] T_base_goal, const double[::1] weights,
                              const double[:, ::1] parameters, const double[::1] q0, bint within,
                              double[:, :, ::1] out, long[::1] counts, double deadline)
    @cython.locals(one=Enumeration)
    cdef Enumeration _take(self, const double[::1] q0)
