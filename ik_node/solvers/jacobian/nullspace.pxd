from libc cimport math
cimport ik_node.solvers.linear as linear
from ik_node.support.arrays cimport vector
from ik_node.solvers.jacobian.settings cimport JacobianSettings
from ik_node.solvers.settings cimport Settings, Scratch
from ik_node.solvers.task cimport TipTask
cimport cython

@cython.locals(wanted=cython.bint, ascends=cython.bint)
cdef bint bias_gradient(Settings settings, JacobianSettings own, int n, Scratch work, vector q,
                        vector z) noexcept nogil
cdef double add_bias(TipTask task, Settings settings, JacobianSettings own, int n, Scratch work,
                     double strength, vector q) noexcept nogil
