from libc cimport math
cimport ik_node.kinematics.forward as forward
cimport ik_node.solvers.analytic.refinement.newton as newton
cimport ik_node.solvers.search as search
cimport ik_node.solvers.analytic.subproblems.sizes as sizes
from ik_node.support.arrays cimport Memory, rows, vector
from ik_node.kinematics.forward cimport Chain
from ik_node.solvers.analytic.families.closed_family cimport ClosedForm, StructureRecord
from ik_node.solvers.settings cimport Settings, Work
from ik_node.solvers.task cimport Task
from libc.math cimport rint as round

cdef double INF, NAN, FIRM, _SHAKY, _EXACT, _GOOD, _CERTAIN, _TURN, _PER_TURN


cdef class Buffers:
    cdef Memory memory
    cdef Work work
    cdef ClosedForm closed_form
    cdef rows branches, found
    cdef vector errors, held, parameters, q0, trial, frames_q
    cdef StructureRecord structure
    cdef bint arm_checked, arm_regular
    cdef int kept, precise

cdef (double, bint) refine_branch(Chain chain, Settings settings, Task task, Buffers buffers,
                                  vector q0, vector q) noexcept nogil
cdef double squared_pose_error(Chain chain, Task task, Buffers buffers, vector q) noexcept nogil
cdef bint _is_regular(Buffers buffers) noexcept nogil
cdef void invalidate_frames(Chain chain, Buffers buffers) noexcept nogil
cdef void wrap_to_nearest(Chain chain, vector q0, vector q) noexcept nogil
cdef double _at_limit(double value, double limit, int turns) noexcept nogil
cdef double allowed_excess(StructureRecord structure) noexcept nogil
cdef double joint_excess(Chain chain, vector q, int k) noexcept nogil
cdef double limit_excess(Chain chain, vector q) noexcept nogil
cdef bint within_tolerances(Settings settings, double position, double orientation) noexcept nogil
cdef void copy_to(vector target, vector source, int n) noexcept nogil
