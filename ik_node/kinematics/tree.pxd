from libc cimport math
cimport ik_node.kinematics.kinds as kinds
cimport ik_node.spatial.so3 as so3
from ik_node.support.arrays cimport (
    Memory, columns, fours, integers, points, pose, poses, rotations, vector)


cdef class Tree:
    cdef Memory memory
    cdef readonly int links, n
    cdef integers parent, kind, column, moved
    cdef poses placement
    cdef points axis, center
    cdef vector ratio, offset, mass
    cdef rotations inertia
    cdef readonly list idle


cdef void tree_frames(Tree tree, vector q, poses F, points W) noexcept nogil
cdef double joint_value(Tree tree, vector q, int k) noexcept nogil
cdef void rotate(pose T, double ax, double ay, double az, double angle) noexcept nogil
cdef void center_of_mass(Tree tree, poses F, points W, fours S, vector com,
                         columns J) noexcept nogil
