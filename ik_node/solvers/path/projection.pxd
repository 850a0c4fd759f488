from ik_node.solvers.kernel.settings cimport ArmData
include "projection.pxi"


cdef class Projection(Verifier):
    @cython.locals(work=ArmData, late=cython.bint, follows=cython.bint, count=int)
    cpdef int near(self, const double[:, :, ::1] poses, const double[:, ::1] weights,
                   double[:, ::1] q, double[:, ::1] errors, double deadline, bint moves=*,
                   const double[::1] tolerances=*, double most=*) except -1
