from ik_node.kernels cimport spatial, tree as trees
from ik_node.kernels.arrays cimport Memory, columns, integers, matrix, pose, poses, rotation, vector
from ik_node.kernels.body_task cimport BodyTask, TaskWork
from ik_node.kernels.tree cimport Tree
cimport cython


cdef class PoseTask(BodyTask):
    cdef Memory memory
    cdef int link
    cdef pose target
    cdef integers wanted
    cdef vector point

    cdef int rows(self, Tree tree, TaskWork work, vector q, int first, vector r,
                  matrix J) except -1 nogil


cdef class PositionTask(BodyTask):
    cdef Memory memory
    cdef int link
    cdef vector target, point

    cdef int rows(self, Tree tree, TaskWork work, vector q, int first, vector r,
                  matrix J) except -1 nogil


cdef class CenterOfMassTask(BodyTask):
    cdef Memory memory
    cdef vector target

    @cython.locals(free=cython.bint)
    cdef int rows(self, Tree tree, TaskWork work, vector q, int first, vector r,
                  matrix J) except -1 nogil


cdef void write_row(double a, double b, double c, columns A, int top, int n, int row,
                    matrix J) noexcept nogil
cdef void pose_rows(pose G, pose T, rotation R, vector r, rotation M) noexcept nogil
