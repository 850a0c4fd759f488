from ik_node.kernels cimport checks, newton, refinement, search
from ik_node.kernels.arrays cimport vector
from ik_node.kernels.buffers cimport Buffers
from ik_node.kernels.forward cimport Chain
from ik_node.kernels.settings cimport Settings, Work
from ik_node.kernels.task cimport Task
cimport cython

cdef double PRECISE


cdef class Refiner:
    cdef Chain chain
    cdef Settings settings
    cdef list idle
    @cython.locals(work=Work)
    cpdef tuple refine(self, const double[:, ::1] T_base_goal, const double[::1] weights,
                       double[::1] q)
    cdef Work _take(self)

@cython.locals(met=cython.bint)
cdef (double, double) refine_to_precision(Chain chain, Task task, Settings settings, Work work,
                                          vector q) noexcept nogil
cdef bint has_self_motion(Chain chain, Buffers buffers, vector q) noexcept nogil
@cython.locals(above=cython.bint)
cdef double self_motion_inside_limits(Chain chain, Task task, Buffers buffers,
                                      vector q) noexcept nogil
cdef double _refine_inside_limits(Chain chain, Task task, Work work, vector held,
                                  vector q) noexcept nogil
