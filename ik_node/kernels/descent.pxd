from libc cimport math
from ik_node.kernels cimport bounded, clock as clocks, codes, copies, problem as problems, tree as trees
from ik_node.kernels.arrays cimport Memory, integers, matrix, pairs, vector
from ik_node.kernels.body_task cimport BodyTask, TaskWork
from ik_node.kernels.problem cimport Found, Problem
from ik_node.kernels.step_work cimport StepWork
from ik_node.kernels.tree cimport Tree
from ik_node.kernels.limits cimport Limits
cimport cython

cdef int PATIENCE
cdef double LEAST, MOST, FIRST, PROGRESS, SMALL, TINY, TURN


cdef class DescentWork:
    cdef Memory memory
    cdef TaskWork task
    cdef StepWork step
    cdef Found found
    cdef vector q, start
    cdef pairs misses
    cdef int iterations
    cdef bint met


cdef class Descent:
    cdef Memory memory
    cdef Tree tree
    cdef Problem problem, whole
    cdef Limits limits
    cdef integers turns
    cdef list idle
    cdef bint floats
    cdef int max_iterations

    @cython.locals(work=DescentWork)
    cpdef tuple rows(self, const double[::1] q)
    @cython.locals(work=DescentWork)
    cpdef tuple run(self, const double[::1] q, double deadline, bint settles)
    @cython.locals(work=DescentWork)
    cpdef tuple solve(self, const double[::1] start, const double[::1] q, double deadline)
    @cython.locals(work=DescentWork)
    cpdef tuple verify(self, const double[::1] start, const double[::1] q)
    @cython.locals(work=DescentWork)
    cdef DescentWork begin(self, const double[::1] q)
    cdef int take_start(self, DescentWork work, const double[::1] start) except -1
    cdef joint_values(self, DescentWork work)
    cdef missed(self, DescentWork work)
    cdef int copy_misses(self, DescentWork work, double[:, ::1] misses) except -1
    cdef int copy_rows(self, DescentWork work, double[:, ::1] A, double[::1] e) except -1


@cython.locals(met=cython.bint)
cdef int descend(Descent own, DescentWork work, double deadline, bint settles,
                 vector q) except -1 nogil
cdef int rows_at(Descent own, DescentWork work, vector q) except -1 nogil
cdef void accept(DescentWork work) noexcept nogil
cdef void set_bounds(Descent own, DescentWork work, vector q) noexcept nogil
cdef double left2(Descent own, DescentWork work) noexcept nogil
cdef bint shorten_rotation(vector q) noexcept nogil
@cython.locals(differs=cython.bint)
cdef bint verify(Descent own, DescentWork work, vector q) except -1 nogil
@cython.locals(met=cython.bint)
cdef bint missed(Tree tree, Problem whole, DescentWork work, vector q) except -1 nogil
