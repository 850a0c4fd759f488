cimport ik_node.solvers.search as search
cimport ik_node.support.checks as checks
from ik_node.solvers.analytic.selection.selection cimport Selection
cimport cython


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
