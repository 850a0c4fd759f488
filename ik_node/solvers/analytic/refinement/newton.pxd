from libc cimport math
cimport ik_node.kinematics.forward as forward
cimport ik_node.kinematics.jacobian as jacobian
cimport ik_node.solvers.linear as linear
cimport ik_node.solvers.search as search
cimport ik_node.solvers.task as tasks
from ik_node.support.arrays cimport columns, pose, poses, vector
from ik_node.kinematics.forward cimport ChainRecord
from ik_node.solvers.settings cimport Scratch
from ik_node.solvers.task cimport TipTask

cdef double INF
cdef int STEPS
cdef double _DONE
cdef double _LONGEST
cdef double _FLOOR
cdef double _SHORT_FLOOR
cdef double _FARTHEST_TWIN
cdef double _SHORT
cdef double _DEGENERATE
cdef double _SINGULAR
cdef double _ALL_BUT_SINGULAR

cdef (double, double, double) newton_refinement(ChainRecord chain, TipTask task, Scratch work,
                                                vector held, vector q, int steps) noexcept nogil
cdef void _write_jacobian(ChainRecord chain, TipTask task, Scratch work, vector held) noexcept nogil
cdef double _eliminate(columns J, vector e) noexcept nogil
cdef bint is_singular(ChainRecord chain, Scratch work, vector q) noexcept nogil
cdef bint last_newton_step(ChainRecord chain, pose T_base_goal, Scratch work,
                           vector q) noexcept nogil
cdef bint is_wrist_regular(poses frames) noexcept nogil
cdef bint is_arm_regular(poses frames) noexcept nogil
cdef bint across_fold(ChainRecord chain, TipTask task, Scratch work, vector held, vector q,
                      int side, vector start) noexcept nogil
