from libc cimport math
cimport ik_node.solvers.linear as linear
from ik_node.support.arrays cimport vector
from ik_node.solvers.jacobian.settings cimport JacobianSettings
from ik_node.solvers.settings cimport Settings, Scratch

cdef double NEGLIGIBLE

cdef void selective_step(Settings settings, JacobianSettings own, int n, Scratch work,
                         vector V) noexcept nogil
