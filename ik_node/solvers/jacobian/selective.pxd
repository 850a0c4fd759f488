from libc cimport math
cimport ik_node.solvers.linear as linear
from ik_node.support.arrays cimport vector
from ik_node.solvers.jacobian.settings cimport JacobianSettings
from ik_node.solvers.settings cimport Settings, Work

cdef double NEGLIGIBLE

cdef void selective_step(Settings settings, JacobianSettings own, int n, Work work,
                         vector V) noexcept nogil
