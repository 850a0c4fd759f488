from ik_node.support.arrays cimport matrix, vector
from ik_node.tasks.body_task cimport BodyTask, TaskWork
from ik_node.kinematics.tree cimport Tree
cimport cython


cdef class PythonTask(BodyTask):
    cdef object task, make_frames, one_sided, weights
    cdef double weight

    cdef int rows(self, Tree tree, TaskWork work, vector q, int first, vector r,
                  matrix J) except -1 nogil
    cdef double energy(self, TaskWork work, int first, vector r, vector scale) except? -1.0 nogil
    @cython.locals(residual='const double[::1]', jacobian='const double[:, ::1]')
    cdef int call(self, int n, TaskWork work, vector q, int first, vector r,
                  matrix J) except -1 with gil
    cdef double call_energy(self, TaskWork work, int first, vector r) except? -1.0 with gil
    @cython.locals(same=cython.bint, at='const double[::1]')
    cdef frames_at(self, TaskWork work, int n, vector q)
    cdef checked(self, values, tuple shape, str what)
