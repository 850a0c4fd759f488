from ik_node.kernels.arrays cimport Memory, columns, fours, matrix, points, pose, poses, rotation, vector
from ik_node.kernels.tree cimport Tree


cdef class TaskWork:
    cdef Memory memory
    cdef poses frames
    cdef points axes
    cdef fours moments
    cdef columns J
    cdef pose T
    cdef rotation R, M
    cdef vector own, center


cdef class BodyTask:
    cdef int rows(self, Tree tree, TaskWork work, vector q, int first, vector r,
                  matrix J) except -1 nogil
