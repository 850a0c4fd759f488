from libc cimport math
cimport ik_node.kinematics.kinds as kinds
cimport ik_node.spatial.so3 as so3
from ik_node.support.arrays cimport Memory, integers, pose, poses, vector
from ik_node.kinematics.joint_limits cimport JointLimits


cdef class ChainRecord(JointLimits):
    cdef readonly int m
    cdef poses placement
    cdef integers kind, column, shared
    cdef vector ratio


cdef void chain_frames(ChainRecord chain, vector q, poses F) noexcept nogil
cdef void frames_beyond(ChainRecord chain, vector q, int first, poses F) noexcept nogil
cdef void frames_by_directions(ChainRecord chain, vector q, vector directions, int first,
                               poses F) noexcept nogil
cdef void _write_other(ChainRecord chain, vector q, int k, poses F) noexcept nogil
cdef void _write_rotated(poses F, poses L, int k, double c, double s) noexcept nogil
cdef (double, double, double, double) _placed_row(poses F, poses L, int k, int i) noexcept nogil
cdef void turn_spherical(pose T_first, pose T_second, pose T, double wx, double wy,
                         double wz) noexcept nogil
