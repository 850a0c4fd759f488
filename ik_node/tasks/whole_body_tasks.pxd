cimport ik_node.kinematics.tree as trees
from ik_node.support.arrays cimport fours, integers, matrix, vector
from ik_node.tasks.body_task cimport BodyTask, TaskWork
from ik_node.kinematics.tree cimport Tree
cimport cython


cdef class CenterOfMassTask(BodyTask):
    cdef bint has_target
    cdef int edges
    cdef fours polygon

    @cython.locals(free=cython.bint)
    cdef int rows(self, Tree tree, TaskWork work, vector q, int first, vector r,
                  matrix J) except -1 nogil


cdef class RestTask(BodyTask):
    cdef integers columns
    cdef vector wanted

    cdef int rows(self, Tree tree, TaskWork work, vector q, int first, vector r,
                  matrix J) except -1 nogil
