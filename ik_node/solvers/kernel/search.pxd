include "search.pxi"


@cython.locals(beyond=cython.bint, late=cython.bint, met=cython.bint, better=cython.bint)
cdef int try_starts(ChainRecord chain, Method method, Settings settings, Table table, ArmData work,
                    int attempts) except -1 nogil
cdef void load_goal(TipTask task, const double[:, ::1] T_base_goal,
                    const double[::1] weights) noexcept nogil
@cython.locals(count=double)
cdef void nearest_turn(JointLimits limits, vector q0, vector q) noexcept nogil
