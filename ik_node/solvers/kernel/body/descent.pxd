include "descent.pxi"


cdef class DescentData:
    cdef Memory memory
    cdef TaskData task
    cdef StepData step
    cdef LevelCost found
    cdef vector q, start
    cdef pairs misses
    cdef int iterations


cdef class Descent:
    cdef Tree tree
    cdef StackedTasks level, whole
    cdef Limits limits
    cdef list idle
    cdef int max_iterations

    @cython.locals(work=DescentData)
    cpdef tuple rows(self, const double[::1] q)
    @cython.locals(work=DescentData)
    cpdef tuple run(self, const double[::1] q, double deadline, bint settles)
    @cython.locals(work=DescentData)
    cpdef start(self, const double[::1] q)
    @cython.locals(work=DescentData)
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
