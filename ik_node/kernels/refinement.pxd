from ik_node.kernels cimport forward, newton, search
from ik_node.kernels.arrays cimport Memory, rows, vector
from ik_node.kernels.forward cimport Chain
from ik_node.kernels.nominal cimport ClosedForm, Structure
from ik_node.kernels.settings cimport Settings, Work
from ik_node.kernels.task cimport Task
cimport cython

cdef double INF
cdef double NAN
cdef double PRECISE
cdef double _EXACT
cdef double _GOOD
cdef double _CERTAIN
cdef double _AT_LIMIT


cdef class Buffers:
    cdef Memory memory
    cdef Work work
    cdef ClosedForm closed_form
    cdef rows branches
    cdef rows found
    cdef vector errors
    cdef vector held
    cdef vector parameters
    cdef vector trial
    cdef vector frames_q
    cdef bint arm_known
    cdef bint arm_regular
    cdef bint wrist
    cdef void prepare(self, Structure structure) noexcept nogil

cdef (double, bint) refine_branch(Chain chain, Settings settings, Task task, Buffers buffers,
                                  vector q0, vector q) noexcept nogil
cdef double squared_pose_error(Chain chain, Task task, Buffers buffers, vector q) noexcept nogil
cdef bint _is_regular(Buffers buffers) noexcept nogil
cdef void invalidate_frames(Chain chain, Buffers buffers) noexcept nogil
cdef void wrap_to_nearest(Chain chain, vector q0, vector q) noexcept nogil
cdef double joint_excess(Chain chain, vector q, int k) noexcept nogil
cdef double limit_excess(Chain chain, vector q) noexcept nogil
cdef bint within_tolerances(Settings settings, double position, double orientation) noexcept nogil
cdef void copy_to(vector target, vector source, int n) noexcept nogil
cdef bint has_self_motion(Chain chain, Buffers buffers, vector q) noexcept nogil
@cython.locals(above=cython.bint)
cdef double self_motion_inside_limits(Chain chain, Task task, Buffers buffers,
                                      vector q) noexcept nogil
cdef double _refine_inside_limits(Chain chain, Task task, Work work, vector held,
                                  vector q) noexcept nogil
