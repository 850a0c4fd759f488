from ik_node.support.arrays cimport vector
from ik_node.solvers.kernel.arm_kernel cimport Verifier
from ik_node.solvers.kernel.settings cimport ArmData
from ik_node.solvers.kernel.task cimport TipTask
cimport cython

cdef double INF, EXACT


cdef class Projection(Verifier):
    @cython.locals(work=ArmData, late=cython.bint)
    cpdef near(self, const double[:, :, ::1] poses, const double[:, ::1] weights,
               double[:, ::1] q, double[:, ::1] errors, double deadline, bint moves=*)
    @cython.locals(work=ArmData, reached=int)
    cpdef int track(self, const double[:, :, ::1] poses, const double[:, ::1] weights,
                    double[:, ::1] q, const double[::1] start, const double[::1] tolerances,
                    double most, double deadline)
    cdef (double, double) solution(self, TipTask task, ArmData work, vector q, bint moves,
                                   double deadline) noexcept nogil
    cdef check(self, const double[:, :, ::1] poses, const double[:, ::1] weights,
               const double[:, ::1] q, double[:, ::1] errors)


cdef void load_row(TipTask task, ArmData work, const double[:, :, ::1] poses,
                   const double[:, ::1] weights, const double[:, ::1] q,
                   Py_ssize_t i) noexcept nogil
include "projection.pxi"
