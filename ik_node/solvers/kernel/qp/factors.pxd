from libc cimport math
cimport ik_node.support.linear_systems as linear_systems
cimport ik_node.solvers.kernel.qp.level as levels
cimport ik_node.solvers.kernel.qp.householder as householder
from ik_node.support.arrays cimport integers, matrix, vector
from ik_node.solvers.kernel.qp.level cimport Level

cdef double FLOOR, NOISE, SINGULAR

cdef void factor(Level own, matrix A, integers one_sided, matrix T, int width,
                 double damping2, double free2, double singular) noexcept nogil
cdef void damped_gram(Level own) noexcept nogil
cdef void unbound(Level own, vector e, vector x) noexcept nogil
cdef void span(Level own) noexcept nogil
cdef int leave_free(Level own) noexcept nogil
cdef void clear_noise(matrix T, int width, int n) noexcept nogil
