include "descent.pxi"


cdef class DescentData(BodyData):
    cdef vector start
    cdef pairs misses


cdef class Descent:
    cdef Tree tree
    cdef StackedTasks level, whole
    cdef Limits limits
    cdef list idle
    cdef int max_iterations

    cpdef tuple rows(self, const double[::1] q)
    cpdef tuple run(self, const double[::1] q, double deadline, bint settles)
    cpdef start(self, const double[::1] q)
    cpdef tuple solve(self, const double[::1] start, const double[::1] q, double deadline)
    cpdef tuple verify(self, const double[::1] start, const double[::1] q)
    @cython.locals(met=cython.bint, out='double[:, ::1]')
    cdef tuple verified(self, DescentData work, const double[::1] start)
    @cython.locals(work=DescentData)
    cdef DescentData begin(self, const double[::1] q)
    cdef joint_values(self, DescentData work)


cdef class TaskJudge(Judge):
    cdef Descent descent
    cdef DescentData work


@cython.locals(met=cython.bint)
cdef int descend(Descent own, DescentData work, double deadline, bint settles,
                 vector q) except -1 nogil
cdef int rows_at(Descent own, DescentData work, vector q) except -1 nogil
@cython.locals(differs=cython.bint)
cdef bint verify(Descent own, DescentData work, vector q) except -1 nogil
@cython.locals(met=cython.bint)
cdef bint missed(Tree tree, StackedTasks whole, DescentData work, vector q) except -1 nogil
