from ik_node.support.arrays cimport pose, vector
from ik_node.kinematics.forward cimport ChainRecord
from ik_node.solvers.kernel.method cimport Method
from ik_node.solvers.jacobian.nullspace cimport JacobianSettings
from ik_node.solvers.kernel.settings cimport ArmData, Settings
from ik_node.solvers.kernel.task cimport TipTask
cimport cython

cdef double INF, STILL, BIAS_DONE, BIAS_FADES


cdef class JacobianMethod(Method):
    cdef JacobianSettings own

    cdef void step(self, Settings settings, int n, ArmData work, vector V) noexcept nogil
    @cython.locals(biased=cython.bint, has_prismatic=cython.bint, met=cython.bint)
    cdef int attempt(self, ChainRecord chain, TipTask task, Settings settings, ArmData work,
                     bint swing, vector q) except -1 nogil


@cython.locals(point=pose)
cdef void task_rows(ChainRecord chain, TipTask task, Settings settings, JacobianSettings own,
                    ArmData work, double position_share, double orientation_share,
                    vector q) noexcept nogil
include "loop.pxi"
