from libc cimport math
cimport ik_node.support.eigenvalues as eigenvalues
cimport ik_node.solvers.analytic.subproblems.elimination as elimination
cimport ik_node.solvers.analytic.subproblems.null_spaces as null_spaces
cimport ik_node.solvers.analytic.subproblems.opening as opening
cimport ik_node.solvers.analytic.subproblems.sizes as sizes
from ik_node.support.arrays cimport points
from ik_node.solvers.analytic.families.closed_family cimport ClosedFamily, ClosedForm
from ik_node.solvers.analytic.subproblems.elimination cimport EliminationWork
from ik_node.spatial.vector3 cimport motion
cimport cython

cdef double _DISTURBANCE, _SLIGHT, _SINGULAR, _NEARLY_REAL, _REAL, _CLOSED, _HOPELESS, _SAME
cdef int _REFERENCES


cdef class GeneralArm(ClosedFamily):
    cdef int solve(self, ClosedForm work) noexcept nogil

@cython.locals(backward=cython.bint, sound=cython.bint)
cdef int _candidates(points axes, points points, motion M, EliminationWork work) noexcept nogil
@cython.locals(sound=cython.bint, single=cython.bint)
cdef (int, bint) _configurations(EliminationWork work, int first, bint backward,
                                 int count) noexcept nogil
cdef bint _add(EliminationWork work, int first, bint backward, int before, int count) noexcept nogil
