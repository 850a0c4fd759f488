from libc cimport math
cimport ik_node.support.clock as clocks
cimport ik_node.solvers.codes as codes
cimport ik_node.solvers.body.descent as descent
cimport ik_node.solvers.body.stacked_tasks as problems
cimport ik_node.kinematics.tree as trees
from ik_node.support.arrays cimport Memory, integers, matrix, vector
from ik_node.solvers.body.levels.velocity cimport Velocity, Work
cimport cython

cdef double RATIO, SHRINK, GROW, NOTHING, LEAST, SMALL, PROGRESS, INF
cdef int RESTORATIONS, PATIENCE


cdef class Place:
    cdef Memory memory
    cdef matrix A
    cdef vector e, costs, misses
    cdef integers met


cdef class PursuitWork:
    cdef Memory memory
    cdef Work work
    cdef Place here, there
    cdef vector q, trial, marked, predicted, weights
    cdef int iterations


cdef class Pursuit:
    cdef Memory memory
    cdef Velocity steps
    cdef bint floats, settles
    cdef int needed
    cdef integers necessary
    cdef list idle

    cdef void note_levels(self)
    @cython.locals(own=PursuitWork)
    cpdef tuple run(self, double[::1] q, double deadline, int max_iterations, double quick)


cdef int pursue(Pursuit own, PursuitWork work, double deadline, int max_iterations,
                double progress) except -1 nogil
cdef double largest_region(Pursuit own) noexcept nogil
@cython.locals(found=cython.bint)
cdef bint all_met(integers met, int count) noexcept nogil
cdef int arrive(Pursuit own, PursuitWork work, vector q) except -1 nogil
cdef int evaluate(Pursuit own, PursuitWork work, vector q) except -1 nogil
cdef void take(PursuitWork work, int m, int count) noexcept nogil
cdef double step_from(Pursuit own, PursuitWork work, matrix A, vector e, vector q, int count,
                      double radius) except? -1.0 nogil
cdef void predict(Pursuit own, PursuitWork work) noexcept nogil
cdef void weigh(PursuitWork work, int count) noexcept nogil
cdef int restore(Pursuit own, PursuitWork work) except -1 nogil
cdef bint is_taken(Pursuit own, PursuitWork work) noexcept nogil
cdef bint progresses(PursuitWork work, int count, double progress) noexcept nogil
