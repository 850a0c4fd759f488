from ik_node.support.arrays cimport (
    Memory, columns, fours, matrix, points, pose, poses, rotation, vector)
from ik_node.kinematics.tree cimport Tree


cdef class TaskWork:
    cdef Memory memory
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

    cdef int rows(self, Tree tree, TaskWork work, vector q, int first, vector r,
                  matrix J) except -1 nogil
    cdef double energy(self, TaskWork work, int first, vector r, vector scale) except? -1.0 nogil


cdef void write_row(double a, double b, double c, columns A, int top, int n, int row,
                    matrix J) noexcept nogil
