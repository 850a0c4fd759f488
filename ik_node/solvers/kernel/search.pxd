from ik_node.support.arrays cimport pose, vector
from ik_node.kinematics.forward cimport ChainRecord
from ik_node.kinematics.joint_limits cimport JointLimits
from ik_node.solvers.kernel.method cimport Method
from ik_node.solvers.kernel.restarts cimport Table
from ik_node.solvers.kernel.settings cimport ArmData, Settings
from ik_node.solvers.kernel.task cimport TipTask
cimport cython

cdef double PI, TWO_PI, FARTHEST, AT_LIMIT


@cython.locals(beyond=cython.bint, late=cython.bint, met=cython.bint, better=cython.bint)
cdef int try_starts(ChainRecord chain, Method method, Settings settings, Table table, ArmData work,
                    int attempts) except -1 nogil
cdef void load_goal(TipTask task, const double[:, ::1] T_base_goal,
                    const double[::1] weights) noexcept nogil
@cython.locals(count=double)
cdef void nearest_turn(JointLimits limits, vector q0, vector q) noexcept nogil
include "search.pxi"
