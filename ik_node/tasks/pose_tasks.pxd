from libc cimport math
cimport ik_node.tasks.body_task as body_task
cimport ik_node.spatial.so3 as so3
cimport ik_node.kinematics.jacobian as jacobian
from ik_node.support.arrays cimport columns, integers, matrix, points, pose, rotation, vector
from ik_node.tasks.body_task cimport BodyTask, TaskWork
from ik_node.kinematics.tree cimport Tree

cdef double SMALL_ANGLE, OPPOSITE, NOWHERE


cdef class PoseTask(BodyTask):
    cdef int link, reference, heading
    cdef integers wanted
    cdef vector point
    cdef rotation axes


cdef class AlignTask(BodyTask):
    cdef int link
    cdef vector axis, direction
    cdef points across


cdef class LookTask(BodyTask):
    cdef int link
    cdef vector axis
    cdef points across


cdef void pose_rows(pose G, pose T, rotation R, vector r, rotation M) noexcept nogil
cdef void angle_rows(vector a, vector direction, points B, columns A, int n, int first, vector r,
                     matrix J) noexcept nogil
