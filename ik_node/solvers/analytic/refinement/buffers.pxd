from ik_node.support.arrays cimport Memory, rows, vector
from ik_node.solvers.analytic.families.nominal cimport ClosedForm, Structure
from ik_node.solvers.settings cimport Scratch


cdef class Buffers:
    cdef Memory memory
    cdef Scratch work
    cdef ClosedForm closed_form
    cdef rows branches
    cdef rows found
    cdef vector errors
    cdef vector held
    cdef vector parameters
    cdef vector q0
    cdef vector trial
    cdef vector frames_q
    cdef bint arm_checked
    cdef bint arm_regular
    cdef bint wrist
    cdef void prepare(self, Structure structure) noexcept nogil
