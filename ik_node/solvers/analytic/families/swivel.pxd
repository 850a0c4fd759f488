from ik_node.support.arrays cimport vector
from ik_node.solvers.analytic.families.closed_family cimport ClosedFamily, ClosedForm
from ik_node.spatial.vector3 cimport transform, vector3

cdef double NAN, _ON_THE_LINE


cdef class Swivel(ClosedFamily):
    cdef double towards(self, transform M, vector3 hint) noexcept nogil


include "swivel.pxi"
