include "evolution.pxi"

cdef long MODULUS, MULTIPLIER


cdef class Judge:
    cdef int look
    cdef int cost(self, vector z, vector child) except -1 nogil


cdef class PythonJudge(Judge):
    cdef object function
    cdef int n
    cdef int call(self, vector z, vector child) except -1 with gil


cdef class Population:
    cdef Memory memory
    cdef Judge judge
    cdef int n
    cdef matrix parents, survivors
    cdef vector child, z, unit, start, best, samples
    cdef public long state
    cdef double deadline
    cdef int generations


cdef class Evolution:
    cdef Memory memory
    cdef int children, generations, elite, wipeout
    cdef long generator
    cdef double mutation, crossover, momentum, length
    cdef vector scale, span

    @cython.locals(population=Population)
    cpdef tuple run(self, JointLimits limits, Judge judge, const double[::1] start,
                    const double[::1] q, long state, double deadline)
    @cython.locals(end=int, met=cython.bint)
    cdef int evolve(self, JointLimits limits, Population population, bint swing,
                    vector q) except -1 nogil
    cdef int begin(self, JointLimits limits, Population population, bint swing,
                   vector q) except -1 nogil
    cdef int breed(self, JointLimits limits, Population population) except -1 nogil
    @cython.locals(first=int, second=int, halvings=int, parent=int)
    cdef void mutate(self, JointLimits limits, Population population, int pushes) noexcept nogil


cpdef double uniform(Population population) noexcept nogil
cpdef double normal(Population population) noexcept nogil
# Python: first_state()
