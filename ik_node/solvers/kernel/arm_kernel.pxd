include "arm_kernel.pxi"
# public FreeSpace: Search.free
# cpdef: Search.altered()
# cdef: Verifier.leave()
# except -1 nogil: Search.find()
