include "refinement.pxi"

cdef double INF, NAN


cdef class Refinement:
    cdef Memory memory
    cdef ChainRecord chain
    cdef Settings settings
    cdef ClosedFamily family
    cdef ArmData work
    cdef TipTask task
    cdef ClosedForm closed_form
    cdef rows branches
    cdef vector errors, held, parameters, q0, trial, frames_q
    cdef bint certain
    cdef int steps
    cdef double room, hopeless, unit
    cdef int find_branches(self) noexcept nogil
    cdef double refine_branch(self, vector q, int i) noexcept nogil
    cdef double tolerable_error(self, vector q) noexcept nogil
    cdef double squared_pose_error(self, vector q, int i) noexcept nogil
    cdef void invalidate_frames(self) noexcept nogil
    cdef void wrap_to_nearest(self, vector q) noexcept nogil
    cdef double smallest_pivot(self, vector q) noexcept nogil
    cdef bint _is_sharpened_inside(self, vector q) noexcept nogil
    @cython.locals(above=cython.bint, hardly=cython.bint)
    cdef double move_inside_limits(self, vector q) noexcept nogil


cdef class Refiner(Verifier):
    cdef Settings settings
    @cython.locals(work=ArmData)
    cpdef tuple refine(self, const double[:, ::1] T_base_goal, const double[::1] weights,
                       double[::1] q)


cdef void load_goal(TipTask task, const double[:, ::1] T_base_goal, const double[::1] weights,
                    Settings settings) noexcept nogil
@cython.locals(met=cython.bint)
cdef (double, double) refine_to_precision(ChainRecord chain, TipTask task, Settings settings, ArmData work,
                                          vector q) noexcept nogil
