from ik_node.kernels cimport closed_loop, position_triple, rotation_triple, sizes
from ik_node.kernels.arrays cimport rows
from ik_node.kernels.closed_family cimport ClosedFamily
from ik_node.kernels.nominal cimport ClosedForm
from ik_node.kernels.vector3 cimport moved, moved_back, row


cdef class SphericalTriple(ClosedFamily):
    cdef int solve(self, ClosedForm work, int n, rows out) noexcept nogil
