from libc cimport math
cimport ik_node.tasks.body_task as body_task
cimport ik_node.kinematics.jacobian as jacobian
cimport ik_node.kinematics.tree as trees
from ik_node.support.arrays cimport fours, integers, matrix, pairs, points, vector
from ik_node.tasks.body_task cimport BodyTask, TaskData
cimport cython

cdef double NOWHERE


cdef class PointTask(BodyTask):
    cdef int link
    cdef vector point
    cdef points across


cdef class ForceTask(BodyTask):
    cdef int link
    cdef vector along, point


cdef class DifferenceTask(BodyTask):
    cdef int link, other
    cdef vector point, other_point

    cdef void difference(self, TaskData work) noexcept nogil


cdef class DistanceTask(DifferenceTask):
    cdef pairs sides


cdef class CenterOfMassTask(BodyTask):
    cdef bint has_target
    cdef int edges
    cdef fours polygon

    @cython.locals(free=cython.bint)
    cdef int rows(self, TaskData work, vector q, int first, vector r, matrix J) except -1 nogil


cdef class RestTask(BodyTask):
    cdef integers columns
    cdef vector wanted
