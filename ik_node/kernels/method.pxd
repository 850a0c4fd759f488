from ik_node.kernels.arrays cimport vector
from ik_node.kernels.forward cimport Chain
from ik_node.kernels.settings cimport Settings, Work
from ik_node.kernels.task cimport Task


cdef class Method:
    cdef int attempt(self, Chain chain, Task task, Settings settings, Work work, bint swing,
                     vector q) noexcept nogil
    cdef void bare_step(self, Chain chain, Task task, Settings settings, Work work, vector q,
                        vector dq) noexcept nogil
