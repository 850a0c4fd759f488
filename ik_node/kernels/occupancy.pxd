from libc cimport math
from ik_node.kernels cimport forward, jacobian, linear
from ik_node.kernels.arrays cimport Memory, columns, integers, pose, vector
from ik_node.kernels.forward cimport Chain
from ik_node.kernels.settings cimport Work
cimport cython

cdef double INF


cdef class VoxelGrid:
    cdef Memory memory
    cdef Chain chain
    cdef Work work
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
