include "body_task.pxi"


cdef class TaskData:
    cdef Memory memory
    cdef Tree tree
    cdef object body_frames
    cdef poses frames, targets
    cdef points axes
    cdef fours moments
    cdef columns J, other
    cdef pose T
    cdef rotation R, M
    cdef vector own, v, u


cdef class BodyTask:
    cdef Memory memory
    cdef readonly int index, m
    cdef readonly bint has_energy
    cdef public bint misses
    cdef pose target

    cdef int rows(self, TaskData work, vector q, int first, vector r, matrix J) except -1 nogil
    cdef double energy(self, TaskData work, int first, vector r, vector scale) except? -1.0 nogil


cdef class PythonTask(BodyTask):
    cdef object task, make_frames, one_sided, weights
    cdef double weight

    @cython.locals(residual='const double[::1]', jacobian='const double[:, ::1]')
    cdef int call(self, TaskData work, vector q, int first, vector r, matrix J) except -1 with gil
    cdef double call_energy(self, TaskData work, int first, vector r) except? -1.0 with gil
    @cython.locals(same=cython.bint, at='const double[::1]')
    cdef frames_at(self, TaskData work, int n, vector q)
    cdef checked(self, values, tuple shape, str what)


cdef class TaskRows:
    cdef Memory memory
    cdef BodyTask task
    cdef TaskData work
    cdef vector q, r
    cdef matrix J

    cpdef tuple evaluate(self, const double[::1] q)


cdef int copy_rows(vector r, matrix J, double[::1] residual, double[:, ::1] jacobian) except -1
