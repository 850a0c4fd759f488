from libc cimport math
cimport ik_node.kinematics.forward as forward
cimport ik_node.kinematics.jacobian as jacobian
cimport ik_node.solvers.kernel.linear as linear
cimport ik_node.solvers.kernel.search as search
cimport ik_node.solvers.kernel.task as tasks
from ik_node.support.arrays cimport columns, pose, poses, vector
from ik_node.kinematics.forward cimport ChainRecord
from ik_node.solvers.kernel.settings cimport Scratch
from ik_node.solvers.kernel.task cimport TipTask
cimport cython
from ik_node.spatial.vector3 cimport along, cross, dot, minus, vector3

cdef double INF, _DONE, _STALLED, _LONGEST, _FLOOR, _SHORT_FLOOR, _FARTHEST_TWIN, _SHORT, _DEGENERATE
cdef double _SINGULAR, ALL_BUT_SINGULAR
cdef int STEPS, FEW_STEPS

@cython.locals(stalled=cython.bint)
cdef (double, double, double) newton_refinement(ChainRecord chain, TipTask task, Scratch work, vector held,
                                                vector q, int steps) noexcept nogil
cdef void _write_jacobian(ChainRecord chain, TipTask task, Scratch work, vector held) noexcept nogil
cdef double _eliminate(columns J, int n, vector e) noexcept nogil
cdef double smallest_pivot(ChainRecord chain, Scratch work, vector held, vector q) noexcept nogil
cdef bint last_newton_step(ChainRecord chain, pose T_base_goal, Scratch work, vector q) noexcept nogil
@cython.locals(rotation=vector3)
cdef bint newton_step(ChainRecord chain, pose T_base_goal, Scratch work, vector q, double least,
                      double longest) noexcept nogil
cdef bint is_wrist_regular(poses frames) noexcept nogil
cdef bint is_arm_regular(poses frames) noexcept nogil
cdef vector3 _axis(poses frames, int k) noexcept nogil
cdef vector3 _origin(poses frames, int k) noexcept nogil
cdef bint across_fold(ChainRecord chain, TipTask task, Scratch work, vector held, vector q, int side,
                      vector start) noexcept nogil
