include "level_search.pxi"


cdef class Linearization:
    cdef Memory memory
    cdef matrix A
    cdef vector e, costs, misses
    cdef integers met


cdef class LevelSearchData(VelocityData):
    cdef Linearization here, there
    cdef vector trial, marked, predicted, weights


cdef class LevelSearch:
    cdef Memory memory
    cdef Velocity steps
    cdef StackedTasks stack
    cdef bint settles
    cdef int needed
    cdef integers necessary
    cdef list idle

    @cython.locals(work=LevelSearchData)
    cpdef tuple run(self, double[::1] q, double deadline, int max_iterations, double progress)


cdef int search(LevelSearch own, LevelSearchData work, double deadline, int max_iterations,
                double progress) except -1 nogil
cdef int arrive(LevelSearch own, LevelSearchData work, vector q) except -1 nogil
cdef int evaluate(LevelSearch own, LevelSearchData work, vector q) except -1 nogil
cdef double step_from(LevelSearch own, LevelSearchData work, Linearization rows, vector q, int count,
                      double radius) except? -1.0 nogil
cdef int restore(LevelSearch own, LevelSearchData work) except -1 nogil
