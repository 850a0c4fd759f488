include "arm_kernel.pxi"


cdef class Verifier:
    cdef ChainRecord chain
    cdef list idle

    cdef ArmData make_data(self)
    cpdef tuple errors(self, const double[:, ::1] T_base_goal, const double[::1] weights,
                       const double[::1] q)
    cpdef tuple rows(self, const double[:, ::1] T_base_goal, const double[::1] weights,
                     const double[::1] q)
    @cython.locals(finite=cython.bint)
    cpdef bint into_limits(self, double[::1] q) except -1
    cpdef nearest_turn(self, const double[::1] q0, double[::1] q)
    cdef ArmData begin(self, const double[:, ::1] T_base_goal, const double[::1] weights,
                       const double[::1] q, FreeSpace free=*)
    cdef ArmData take(self, const double[::1] q)
    cdef ArmData scratch(self)
    cdef leave(self, ArmData work)


cdef class Closest(Verifier):
    cdef Memory memory
    cdef vector samples
    cdef int guesses

    cpdef tuple find(self, const double[:, ::1] T_base_goal, const double[::1] weights,
                     double[::1] q, const double[::1] found, double deadline,
                     FreeSpace free=*)


cdef class Search(Verifier):
    cdef Method method
    cdef Settings settings
    cdef Table table
    cdef int attempts
    cdef ChainRecord soft
    cdef bint continues
    cdef public FreeSpace free

    cpdef tuple solve(self, const double[:, ::1] T_base_goal, const double[::1] weights,
                      double[::1] q, double deadline)
    cpdef solve_many(self, const double[:, :, ::1] T_base_goal, const double[::1] weights,
                     double[:, ::1] q, double timeout, long[:, ::1] counts, double[:, ::1] errors)
    @cython.locals(other=Search)
    cpdef Search altered(self, Method method=*, int attempts=*, ChainRecord chain=*,
                         ChainRecord soft=*)
    cpdef step(self, const double[:, ::1] T_base_goal, const double[::1] weights,
               const double[::1] q, double[::1] dq)
    cdef int find(self, ArmData work) except -1 nogil


# Python: verifier_of(), closest_of(), table_of()
