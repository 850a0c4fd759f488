from libc cimport math
cimport ik_node.solvers.codes as codes
cimport ik_node.solvers.kernel.linear as linear
cimport ik_node.solvers.kernel.search as search
from ik_node.support.arrays cimport Memory, vector
from ik_node.kinematics.forward cimport ChainRecord
from ik_node.solvers.kernel.arm_kernel cimport Verifier
from ik_node.solvers.kernel.settings cimport Scratch, Settings
from ik_node.solvers.kernel.task cimport TipTask
cimport cython

cdef double APART


cdef class JacobianSettings:
    cdef Memory memory
    cdef vector bias_target, bias_gain
    cdef double bias_exponent, rank_tolerance, manipulability_gain, path_step
    cdef bint biased, alternate
    cdef int factorization


cdef class Manipulability(Verifier):
    cdef Settings settings

    @cython.locals(work=Scratch, n=int, found=double)
    cpdef tuple at(self, const double[:, ::1] T_base_goal, const double[::1] weights,
                   const double[::1] q)


@cython.locals(wanted=cython.bint, ascends=cython.bint)
cdef bint bias_gradient(Settings settings, JacobianSettings own, int n, Scratch work, vector q,
                        vector z) noexcept nogil
cdef double add_bias(TipTask task, Settings settings, JacobianSettings own, int n, Scratch work,
                     double strength, vector q) noexcept nogil
cdef double proportionate(Settings settings, int n, Scratch work, double strength,
                         vector q) noexcept nogil
cdef double manipulability(ChainRecord chain, TipTask task, Settings settings, Scratch work,
                           vector q) noexcept nogil
cdef void manipulability_gradient(ChainRecord chain, TipTask task, Settings settings,
                                  double gain, Scratch work, vector q) noexcept nogil
