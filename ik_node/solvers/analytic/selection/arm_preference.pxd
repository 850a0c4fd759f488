from ik_node.support.arrays cimport Memory, vector
from ik_node.kinematics.forward cimport ChainRecord
from ik_node.solvers.kernel.settings cimport Scratch
from ik_node.spatial.vector3 cimport vector3

cdef double _DEPTH, _DISCOMFORT, _GUIDE, _OWN, _UNGUIDED
cdef int _ELBOW


cdef class ArmPreference:
    cdef Memory memory
    cdef bint guided, by_hand
    cdef vector hint, hand, elbow, wrist, comfort_lower, comfort_upper, plane_point, plane_normal
    cdef vector capsule_start, capsule_end
    cdef double capsule_radius
    cdef double cost(self, ChainRecord chain, Scratch work, vector q, double own) noexcept nogil
    cdef double discomfort(self, vector q, int n) noexcept nogil
    cdef double torso_depth(self, vector3 elbow, vector3 wrist) noexcept nogil


include "arm_preference.pxi"
