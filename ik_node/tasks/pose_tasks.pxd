include "pose_tasks.pxi"


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
