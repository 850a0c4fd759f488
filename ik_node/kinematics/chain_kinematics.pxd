cimport ik_node.support.arrays as arrays
cimport ik_node.kinematics.forward as forward
cimport ik_node.kinematics.jacobian as jacobian
from ik_node.support.arrays cimport Memory, columns, poses, vector
from ik_node.kinematics.forward cimport ChainRecord
cimport cython


cdef class ChainFrames:
    cdef Memory memory
    cdef poses frames
    cdef columns J
    cdef vector q


cdef class ChainKinematics(ChainRecord):
    cdef list idle

    @cython.locals(work=ChainFrames)
    cpdef object pose(self, const double[::1] q)
    @cython.locals(work=ChainFrames, T='double[:, :, ::1]')
    cpdef object poses(self, const double[:, ::1] q)
    @cython.locals(work=ChainFrames)
    cpdef object jacobian(self, const double[::1] q)
    @cython.locals(work=ChainFrames)
    cdef ChainFrames begin(self, const double[::1] q)
