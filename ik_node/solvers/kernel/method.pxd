from ik_node.support.arrays cimport vector
from ik_node.kinematics.forward cimport ChainRecord
from ik_node.solvers.kernel.settings cimport Settings, ArmData
from ik_node.solvers.kernel.task cimport TipTask


cdef class Method:
    cpdef ArmData make_data(self, int m, int n)
    cdef int attempt(self, ChainRecord chain, TipTask task, Settings settings, ArmData work,
                     bint swing, vector q) except -1 nogil
    cdef bint keeps_turns(self) noexcept nogil
    cdef int bare_step(self, ChainRecord chain, TipTask task, Settings settings, ArmData work,
                       vector q, vector dq) except -1 nogil


cdef class PythonMethod(Method):
    cdef object minimise
    cdef bint turns_spoil

    cdef int call(self, ChainRecord chain, ArmData work, vector q) except -1 with gil
