cimport ik_node.solvers.analytic.refinement.newton as newton
cimport ik_node.solvers.kernel.search as search
from ik_node.support.arrays cimport vector
from ik_node.kinematics.forward cimport ChainRecord
from ik_node.solvers.kernel.arm_kernel cimport Verifier
from ik_node.solvers.kernel.settings cimport Settings, Scratch
from ik_node.solvers.kernel.task cimport TipTask
cimport cython

cdef double PRECISE, SMALL, LARGE

cdef double position_unit(Settings settings) noexcept nogil

cdef void load_goal(TipTask task, const double[:, ::1] T_base_goal, const double[::1] weights,
                    Settings settings) noexcept nogil

@cython.locals(met=cython.bint)
cdef (double, double) refine_to_precision(ChainRecord chain, TipTask task, Settings settings, Scratch work,
                                          vector q) noexcept nogil
cdef double refine_inside_limits(ChainRecord chain, TipTask task, Scratch work, vector held,
                                 vector q) noexcept nogil
cdef double joint_excess(ChainRecord chain, vector q, int k) noexcept nogil
cdef double limit_excess(ChainRecord chain, vector q) noexcept nogil
cdef bint within_tolerances(Settings settings, double position, double orientation) noexcept nogil
cdef void copy_to(vector target, vector source, int n) noexcept nogil


cdef class Refiner(Verifier):
    cdef Settings settings
    @cython.locals(work=Scratch)
    cpdef tuple refine(self, const double[:, ::1] T_base_goal, const double[::1] weights,
                       double[::1] q)
