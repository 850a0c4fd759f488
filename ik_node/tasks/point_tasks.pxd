cimport ik_node.tasks.body_task as body_task
cimport ik_node.kinematics.jacobian as jacobian
from ik_node.support.arrays cimport matrix, points, vector
from ik_node.tasks.body_task cimport BodyTask, TaskWork
from ik_node.kinematics.tree cimport Tree


cdef class PointTask(BodyTask):
    cdef int link
    cdef vector point
    cdef points across

    cdef int rows(self, Tree tree, TaskWork work, vector q, int first, vector r,
                  matrix J) except -1 nogil


cdef class ForceTask(BodyTask):
    cdef int link
    cdef vector along, point

    cdef int rows(self, Tree tree, TaskWork work, vector q, int first, vector r,
                  matrix J) except -1 nogil
    cdef double energy(self, TaskWork work, int first, vector r, vector scale) except? -1.0 nogil
