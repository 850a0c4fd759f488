cimport ik_node.solvers.analytic.families.closed_loop as closed_loop
cimport ik_node.solvers.analytic.subproblems.position_triple as position_triple
cimport ik_node.solvers.analytic.subproblems.rotation_triple as rotation_triple
cimport ik_node.solvers.analytic.subproblems.sizes as sizes
from ik_node.support.arrays cimport rows
from ik_node.solvers.analytic.families.closed_family cimport ClosedFamily
from ik_node.solvers.analytic.families.nominal cimport ClosedForm
from ik_node.spatial.vector3 cimport moved, moved_back, row


cdef class SphericalTriple(ClosedFamily):
    cdef int solve(self, ClosedForm work, int n, rows out) noexcept nogil
