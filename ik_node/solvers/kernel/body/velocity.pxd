include "velocity.pxi"


cdef class VelocityData(BodyData):
    cdef Cascade cascade
    cdef poses composite
    cdef matrix L


cdef class Velocity:
    cdef Tree tree
    cdef StackedTasks stack
    cdef Limits limits
    cdef list idle, rows
    cdef bint energy

    @cython.locals(work=VelocityData)
    cpdef run(self, const double[::1] q, double dt)
    cdef int step(self, VelocityData work, double dt) except -1 nogil
    cdef int direction(self, VelocityData work, int count) except -1 nogil
    cdef bint write(self, VelocityData work, double dt, double[::1] velocity)


@cython.locals(row='const double[::1]', found=cython.bint)
cpdef bint is_plain(values, int n, double most)
cdef int rows_at(Velocity own, VelocityData work) except -1 nogil
cdef int correct(Velocity own, VelocityData work, double dt, bint all_rows) except -1 nogil
cdef double converge(Velocity own, VelocityData work, bint all_rows) except? -1.0 nogil
