from libc cimport math
cimport ik_node.solvers.codes as codes
cimport ik_node.solvers.analytic.refinement.newton as newton
cimport ik_node.solvers.analytic.refinement.precision as precision
cimport ik_node.solvers.analytic.refinement.refinement as refinement
cimport ik_node.solvers.search as search
from ik_node.support.arrays cimport Memory, vector
from ik_node.solvers.analytic.refinement.buffers cimport Buffers
from ik_node.solvers.analytic.families.closed_family cimport ClosedFamily
from ik_node.solvers.analytic.selection.curve cimport Curve
from ik_node.kinematics.forward cimport ChainRecord
from ik_node.solvers.settings cimport Settings
from ik_node.solvers.task cimport TipTask

cdef double INF, OUT_OF_MARGIN, _NEAR, _NEARBY, _PRECISE


cdef class Selection(Curve):
    cdef Memory memory
    cdef ChainRecord chain
    cdef Settings settings
    cdef ClosedFamily family
    cdef Buffers buffers
    cdef TipTask task
    cdef double margin, room, position, orientation
    cdef int end
    cdef vector q0, q, parameters, chosen
    cdef void solve(self) noexcept nogil
    cdef void choose(self) noexcept nogil
    cdef double cost(self, vector q, double room) noexcept nogil
    cdef int write_branches(self) noexcept nogil
    cdef void prefer_branch(self) noexcept nogil
    cdef bint _verify(self) noexcept nogil
    cdef bint _move_inside_limits(self, int count) noexcept nogil
    cdef void _end_at(self, double position, double orientation) noexcept nogil
