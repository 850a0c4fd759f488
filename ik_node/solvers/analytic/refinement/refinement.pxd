from libc cimport math
cimport ik_node.kinematics.forward as forward
cimport ik_node.solvers.analytic.refinement.newton as newton
cimport ik_node.solvers.search as search
from ik_node.support.arrays cimport vector
from ik_node.solvers.analytic.refinement.buffers cimport Buffers
from ik_node.kinematics.forward cimport ChainRecord
from ik_node.solvers.analytic.families.nominal cimport Structure
from ik_node.solvers.settings cimport Settings
from ik_node.solvers.task cimport TipTask
from libc.math cimport rint as round

cdef double INF
cdef double NAN
cdef double FIRM
cdef double _SHAKY
cdef double _EXACT
cdef double _GOOD
cdef double _CERTAIN
cdef double _TURN
cdef double _PER_TURN

cdef (double, bint) refine_branch(ChainRecord chain, Settings settings, TipTask task,
                                  Buffers buffers, vector q0, vector q) noexcept nogil
cdef double squared_pose_error(ChainRecord chain, TipTask task, Buffers buffers,
                               vector q) noexcept nogil
cdef bint _is_regular(Buffers buffers) noexcept nogil
cdef void invalidate_frames(ChainRecord chain, Buffers buffers) noexcept nogil
cdef void wrap_to_nearest(ChainRecord chain, vector q0, vector q) noexcept nogil
cdef double _at_limit(double value, double limit, int turns) noexcept nogil
cdef double allowed_excess(Structure structure) noexcept nogil
cdef double joint_excess(ChainRecord chain, vector q, int k) noexcept nogil
cdef double limit_excess(ChainRecord chain, vector q) noexcept nogil
cdef bint within_tolerances(Settings settings, double position, double orientation) noexcept nogil
cdef void copy_to(vector target, vector source, int n) noexcept nogil
