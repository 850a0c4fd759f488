cimport ik_node.support.linear_systems as linear_systems
cimport ik_node.solvers.kernel.qp.factors as factors
cimport ik_node.solvers.kernel.qp.level as records
cimport ik_node.solvers.kernel.qp.active_set_qp as active_set_qp
from ik_node.support.arrays cimport Memory, integers, matrix, objects, vector
from ik_node.solvers.kernel.qp.level cimport Level

cdef double FLOOR


cdef class Cascade:
    cdef Memory memory
    cdef readonly int n, m, count, used
    cdef objects levels
    cdef integers one_sided
    cdef bint energy
    cdef matrix identity, M
    cdef vector held, start, f

    cpdef run(self, const double[:, :] A, e, lower, upper, double damping, double singular=*,
              M=*, f=*)


cdef void factor(Cascade own, int count, matrix A, vector e, double damping,
                 double singular) noexcept nogil
cdef matrix freedom(Cascade own, int index) noexcept nogil
cdef double missed2(Cascade own, int index, vector e) noexcept nogil
cdef void solve(Cascade own, vector e, vector lower, vector upper, vector x) noexcept nogil
cdef vector settle(Cascade own, int index, vector e, vector lower, vector upper) noexcept nogil
cdef void factor_energy(Level own, matrix M, matrix A, matrix T, int width) noexcept nogil
cdef void unbound_energy(Level own, matrix M, vector f, vector x) noexcept nogil
