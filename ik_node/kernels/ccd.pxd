from libc cimport math
cimport ik_node.kernels.clock as clock
cimport ik_node.kernels.codes as codes
cimport ik_node.kernels.forward as forward
cimport ik_node.kernels.jacobian as jacobian
cimport ik_node.kernels.joint_optimum as joint_optimum
cimport ik_node.kernels.kinds as kinds
cimport ik_node.kernels.task as tasks
from ik_node.kernels.arrays cimport pose, vector
from ik_node.kernels.forward cimport Chain
from ik_node.kernels.joint_optimum cimport CcdSettings
from ik_node.kernels.method cimport Method
from ik_node.kernels.settings cimport Settings, Work
from ik_node.kernels.task cimport Task
cimport cython

cdef double INF, STILL


cdef class CyclicCoordinateDescent(Method):
    cdef CcdSettings own

    cdef int attempt(self, Chain chain, Task task, Settings settings, Work work, bint swing,
                     vector q) except -1 nogil
    cdef int bare_step(self, Chain chain, Task task, Settings settings, Work work, vector q,
                       vector dq) except -1 nogil


cdef double sweep(Chain chain, Task task, Settings settings, CcdSettings own, Work work,
                  bint limited, bint swing, vector q) noexcept nogil
cdef double _sweep_inward(Chain chain, Task task, Settings settings, CcdSettings own, Work work,
                          bint limited, bint swing, vector q) noexcept nogil
@cython.locals(prismatic=cython.bint)
cdef double _sweep_outward(Chain chain, Task task, Settings settings, CcdSettings own, Work work,
                           bint limited, bint swing, vector q) noexcept nogil
cdef double _move_ranked(Chain chain, Task task, Settings settings, CcdSettings own, Work work,
                         bint limited, bint swing, vector q) noexcept nogil
cdef double _move_shared(Chain chain, Task task, Settings settings, Work work, bint limited,
                         vector q) noexcept nogil
cdef double energy_of(Settings settings, double position, double orientation) noexcept nogil
cdef void articulate(pose T, bint prismatic, double value) noexcept nogil
cdef double _set(Chain chain, int k, double change, pose frame, pose T, vector q) noexcept nogil
cdef void _copy(pose T, pose T_copy) noexcept nogil
