from libc cimport math
from libc.math cimport rint as round
cimport ik_node.support.clock as clock
cimport ik_node.solvers.codes as codes
cimport ik_node.kinematics.forward as forward
cimport ik_node.kinematics.jacobian as jacobian
cimport ik_node.solvers.kernel.linear as linear
cimport ik_node.solvers.kernel.restarts as restarts
cimport ik_node.solvers.kernel.task as tasks
from ik_node.support.arrays cimport pose, vector
from ik_node.kinematics.forward cimport ChainRecord
from ik_node.kinematics.joint_limits cimport JointLimits
from ik_node.solvers.kernel.method cimport Method
from ik_node.solvers.kernel.restarts cimport Table
from ik_node.solvers.kernel.settings cimport Record, Settings, Scratch
from ik_node.solvers.kernel.task cimport TipTask
cimport cython

cdef double INF, PI, TWO_PI, ROUNDING, AT_LIMIT, FARTHEST, NEARLY_SINGULAR, NEARBY, FAR_MOVED, FAR_NEARER


@cython.locals(beyond=cython.bint, late=cython.bint, met=cython.bint, better=cython.bint)
cdef int try_starts(ChainRecord chain, Method method, Settings settings, Table table, TipTask task,
                    TipTask plain, Scratch work, int attempts, Record record) except -1 nogil

cdef int guesses_around(ChainRecord chain, TipTask plain, Settings settings, Scratch work,
                        vector q0) noexcept nogil
cdef bint nothing_nearer(Scratch work, int index, int around, int entries,
                         double distance) noexcept nogil
cdef double selection_cost(ChainRecord chain, TipTask task, Settings settings, Scratch work,
                           vector q0, vector q) noexcept nogil
cdef void load_goal(TipTask task, const double[:, ::1] T_base_goal,
                    const double[::1] weights) noexcept nogil
cdef (double, double, double) residual(ChainRecord chain, TipTask task, Scratch work,
                                       vector q) noexcept nogil
@cython.locals(whole=cython.bint)
cdef bint beyond_reach(TipTask task, Settings settings) noexcept nogil
@cython.locals(count=double)
cdef void nearest_turn(JointLimits limits, vector q0, vector q) noexcept nogil
cdef void into_limits(ChainRecord chain, vector q) noexcept nogil
@cython.locals(beyond=cython.bint)
cdef int approach(ChainRecord chain, Method method, Settings settings, Table table, TipTask task,
                  TipTask plain, Scratch work, Record record) except -1 nogil
cdef bint is_singular(ChainRecord chain, double length, TipTask task, Scratch work) noexcept nogil
