from ik_node.kernels.arrays cimport matrix, vector
from ik_node.kernels.body_task cimport BodyTask, TaskWork
from ik_node.kernels.tree cimport Tree
cimport cython


cdef class PythonTask(BodyTask):
    cdef object residual, jacobian, name
    cdef int m

    cdef int rows(self, Tree tree, TaskWork work, vector q, int first, vector r,
                  matrix J) except -1 nogil
    @cython.locals(residual='const double[::1]', jacobian='const double[:, ::1]')
    cdef int call(self, int n, vector q, int first, vector r, matrix J) except -1 with gil
    cdef checked(self, values, tuple shape, str what)
