from libc cimport math
cimport ik_node.support.linear_systems as linear_systems
from ik_node.support.arrays cimport integers
from ik_node.solvers.kernel.body.steps cimport StepWork
cimport cython

cdef int ROUNDS

@cython.locals(changed=cython.bint, now=cython.bint)
cdef void bounded_step(StepWork work, int m, bint some_one_sided, integers one_sided,
                       double damping2) noexcept nogil
@cython.locals(beyond=cython.bint)
cdef void locked_solve(StepWork work, int m, double damping2) noexcept nogil
@cython.locals(found=cython.bint)
cdef bint freed_again(StepWork work, int m, double damping2) noexcept nogil
cdef void free_solve(StepWork work, int m, double damping2) noexcept nogil
cdef void gram(StepWork work, int width, int count) noexcept nogil
