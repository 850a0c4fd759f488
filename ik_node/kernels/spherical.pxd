cimport ik_node.kernels.closed_loop as closed_loop
cimport ik_node.kernels.position_triple as position_triple
cimport ik_node.kernels.rotation_triple as rotation_triple
cimport ik_node.kernels.sizes as sizes
from ik_node.kernels.arrays cimport rows
from ik_node.kernels.closed_family cimport ClosedFamily
from ik_node.kernels.nominal cimport ClosedForm
from ik_node.kernels.vector3 cimport moved, moved_back, row


cdef class SphericalTriple(ClosedFamily):
    cdef int solve(self, ClosedForm work, int n, rows out) noexcept nogil
