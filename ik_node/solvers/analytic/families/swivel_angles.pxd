from libc cimport math
cimport ik_node.support.checks as checks
from ik_node.support.arrays cimport Memory, pose, vector
from ik_node.solvers.analytic.families.swivel cimport Swivel
from ik_node.solvers.analytic.families.swivel_intervals cimport Intervals
from ik_node.spatial.vector3 cimport motion, vector3
from ik_node.spatial.vector3 cimport composed, motion_of
cimport cython


cdef class SwivelAngles:
    cdef Memory memory
    cdef Swivel arm
    cdef vector lower, upper
    cdef list idle
    @cython.locals(found=Intervals, M=motion, count=int)
    cpdef object intervals(self, const double[:, ::1] T_base_goal, double narrower)
    cpdef object towards(self, const double[:, ::1] T_base_goal, const double[::1] point)
    @cython.locals(goal=motion)
    cdef motion _motion(self, const double[:, ::1] T_base_goal)

cdef void _copy_out(Intervals found, double[:, ::1] rows) noexcept nogil
