cimport ik_node.kernels.copies as copies
cimport ik_node.kernels.forward as forward
cimport ik_node.kernels.jacobian as jacobian
from ik_node.kernels.arrays cimport Memory, columns, poses, vector
from ik_node.kernels.forward cimport Chain
cimport cython


cdef class ChainFrames:
    cdef Memory memory
    cdef poses frames
    cdef columns J
    cdef vector q


cdef class ChainKinematics:
    cdef Chain chain
    cdef list idle

    @cython.locals(work=ChainFrames)
    cpdef object pose(self, const double[::1] q)
    @cython.locals(work=ChainFrames)
    cpdef object jacobian(self, const double[::1] q)
    @cython.locals(work=ChainFrames)
    cdef ChainFrames begin(self, const double[::1] q)
