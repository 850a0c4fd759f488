include "selection.pxi"


cdef class Selection(Refinement):
    cdef double margin, position, orientation
    cdef int end
    cdef bint refines_guesses
    cdef vector q, chosen
    cdef void solve(self) noexcept nogil
    cdef void choose(self) noexcept nogil
    cdef bint _is_beside(self) noexcept nogil
    cdef double cost(self, vector q, double room) noexcept nogil
    cdef bint keeps_margin(self, vector q) noexcept nogil
    cdef int find_wrapped(self) noexcept nogil
    cdef void prefer_branch(self) noexcept nogil
    cdef void _refine_to_precision(self) noexcept nogil
    cdef bint _verify(self, int i) noexcept nogil
    cdef bint _move_inside_limits(self, int count) noexcept nogil
    cdef void _end_at(self, double position, double orientation) noexcept nogil


cdef class Selector:
    cdef object make
    cdef list idle
    cpdef tuple solve(self, const double[:, ::1] T_base_goal, const double[::1] weights,
                      double[::1] parameters, const double[::1] q0, double[::1] q)
    cpdef solve_batch(self, const double[:, :, ::1] T_base_goal, const double[::1] weights,
                      double[:, ::1] parameters, const double[:, ::1] q0, double[:, ::1] q,
                      double[:, ::1] records)
    cdef Selection _take(self)


cdef void solve_one(Selection selection, const double[:, ::1] T_base_goal,
                    const double[::1] weights, double[::1] parameters, const double[::1] q0,
                    double[::1] q) noexcept nogil
