from libc cimport math
cimport ik_node.solvers.analytic.refinement.newton as newton
cimport ik_node.solvers.analytic.refinement.refinement as refinement
cimport ik_node.solvers.search as search
from ik_node.support.arrays cimport vector
from ik_node.solvers.analytic.refinement.refinement cimport Buffers
from ik_node.kinematics.forward cimport Chain
from ik_node.solvers.entries cimport Verifier
from ik_node.solvers.settings cimport Settings, Work
from ik_node.solvers.task cimport Task
cimport cython

cdef double PRECISE

@cython.locals(met=cython.bint)
cdef (double, double) refine_to_precision(Chain chain, Task task, Settings settings, Work work,
                                          vector q) noexcept nogil
cdef bint has_self_motion(Chain chain, Buffers buffers, vector q) noexcept nogil
@cython.locals(above=cython.bint)
cdef double self_motion_inside_limits(Chain chain, Task task, Buffers buffers,
                                      vector q) noexcept nogil
cdef double _refine_inside_limits(Chain chain, Task task, Work work, vector held,
                                  vector q) noexcept nogil


cdef class Refiner(Verifier):
    cdef Settings settings
    @cython.locals(work=Work)
    cpdef tuple refine(self, const double[:, ::1] T_base_goal, const double[::1] weights,
                       double[::1] q)
