from libc cimport math
cimport ik_node.kernels.linear as linear
from ik_node.kernels.arrays cimport vector
from ik_node.kernels.family cimport JacobianSettings
from ik_node.kernels.settings cimport Settings, Work
from ik_node.kernels.task cimport Task
cimport cython

@cython.locals(wanted=cython.bint, ascends=cython.bint)
cdef bint bias_gradient(Settings settings, JacobianSettings own, int n, Work work, vector q,
                        vector z) noexcept nogil
cdef double add_bias(Task task, Settings settings, JacobianSettings own, int n, Work work,
                     double strength, vector q) noexcept nogil
