from ik_node.support.arrays cimport Memory, integers, poses, vector
from ik_node.kinematics.joint_limits cimport JointLimits


cdef class ChainRecord(JointLimits):
    cdef readonly int m
    cdef poses placement
    cdef integers kind, column, shared
    cdef vector ratio


include "forward.pxi"
