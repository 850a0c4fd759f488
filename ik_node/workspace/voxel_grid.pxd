from libc cimport math
cimport ik_node.kinematics.forward as forward
cimport ik_node.kinematics.jacobian as jacobian
cimport ik_node.solvers.kernel.linear as linear
from ik_node.support.arrays cimport Memory, columns, integers, pose, vector
from ik_node.kinematics.forward cimport ChainRecord
from ik_node.solvers.kernel.settings cimport ArmData
cimport cython

cdef double INF


cdef class VoxelGrid:
    cdef Memory memory
    cdef ChainRecord chain
    cdef ArmData work
    cdef vector origin
    cdef double edge, length
    cdef integers shape, fixed_axes, task_axes
    cdef long[::1] samples
    cdef double[::1] manipulability, conditioning, offset
    cdef double[:, ::1] configuration

    @cython.locals(voxel=long)
    cpdef mark(self, const double[:, ::1] configurations, long weight)
    @cython.locals(whole=long)
    cdef (long, double) voxel_of_tip(self) noexcept nogil
    cdef (double, double) dexterity(self) noexcept nogil
