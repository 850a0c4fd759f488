from libc cimport math
cimport ik_node.solvers.kernel.qp.factors as factors
cimport ik_node.solvers.kernel.qp.householder as householder
from ik_node.support.arrays cimport vector
from ik_node.solvers.kernel.qp.level cimport Level

cdef double HOLDS, DEPENDENT, UNMOVED, NOTHING, INF

cdef void satisfy(Level own, vector held, vector lower, vector upper) noexcept nogil
cdef int most_violated(Level own, double tolerance) noexcept nogil
cdef double missing(Level own, int constraint) noexcept nogil
cdef void write_normal(Level own, int constraint) noexcept nogil
cdef void write_reach(Level own) noexcept nogil
cdef bint is_moved(Level own, double length) noexcept nogil
cdef double split(Level own) noexcept nogil
cdef bint is_independent(Level own, int constraint, double length2) noexcept nogil
cdef double row_length(Level own, int constraint) noexcept nogil
cdef void write_motion(Level own) noexcept nogil
cdef void move(Level own, double step) noexcept nogil
cdef void activate(Level own, int constraint, double length2, double multiplier) noexcept nogil
cdef void deactivate(Level own, int index) noexcept nogil
cdef void resume(Level own) noexcept nogil
cdef double dot(vector a, vector b, int size) noexcept nogil
cdef double squared(vector a, int size) noexcept nogil
