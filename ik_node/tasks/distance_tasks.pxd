from libc cimport math
cimport ik_node.tasks.body_task as body_task
cimport ik_node.kinematics.jacobian as jacobian
from ik_node.support.arrays cimport matrix, pairs, vector
from ik_node.tasks.body_task cimport BodyTask, TaskWork
from ik_node.kinematics.tree cimport Tree

cdef double NOWHERE


cdef class DifferenceTask(BodyTask):
    cdef int link, other
    cdef vector point, other_point

    cdef int rows(self, Tree tree, TaskWork work, vector q, int first, vector r,
                  matrix J) except -1 nogil
    cdef void difference(self, Tree tree, TaskWork work) noexcept nogil


cdef class DistanceTask(DifferenceTask):
    cdef pairs sides

    cdef int rows(self, Tree tree, TaskWork work, vector q, int first, vector r,
                  matrix J) except -1 nogil
