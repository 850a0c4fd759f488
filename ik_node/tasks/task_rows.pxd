cimport ik_node.kinematics.tree as trees
from ik_node.support.arrays cimport Memory, matrix, vector
from ik_node.tasks.body_task cimport BodyTask, TaskWork
from ik_node.kinematics.tree cimport Tree


cdef class TaskRows:
    cdef Memory memory
    cdef Tree tree
    cdef BodyTask task
    cdef TaskWork work
    cdef vector q, r
    cdef matrix J

    cpdef tuple evaluate(self, const double[::1] q)
    cdef int copy_to(self, double[::1] r, double[:, ::1] J) except -1
