from ik_node.support.arrays cimport pose, vector
from ik_node.kinematics.forward cimport ChainRecord
from ik_node.solvers.kernel.settings cimport ArmData
from ik_node.spatial.vector3 cimport vector3
cimport cython

cdef double ALL_BUT_SINGULAR
cdef int STEPS, FEW_STEPS

@cython.locals(rotation=vector3)
cdef bint newton_step(ChainRecord chain, pose T_base_goal, ArmData work, vector q, double least,
                      double longest) noexcept nogil
include "newton.pxi"
