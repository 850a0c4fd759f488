from ik_node.spatial.vector3 cimport vector3
include "newton.pxi"

cdef double ALL_BUT_SINGULAR
cdef int STEPS, FEW_STEPS

@cython.locals(rotation=vector3)
cdef bint newton_step(ChainRecord chain, pose T_base_goal, ArmData work, vector q, double least,
                      double longest) noexcept nogil
