from ik_node.support.arrays cimport columns, points
from ik_node.solvers.analytic.families.closed_family cimport ClosedFamily, ClosedForm
from ik_node.solvers.analytic.subproblems.elimination cimport EliminationData
from ik_node.spatial.vector3 cimport transform, vector3
cimport cython

cdef double _DISTURBANCE, _SLIGHT, _NEARLY_REAL, _REAL


cdef class GeneralArm(ClosedFamily):
    pass


@cython.locals(backward=cython.bint, sound=cython.bint, best=int, second=int)
cdef int _candidates(points axes, points points, transform M, EliminationData work) noexcept nogil
@cython.locals(v=vector3)
cdef void _write_across(columns lines, int line, int target) noexcept nogil
@cython.locals(a=int, b=int, best=int, second=int, most=double, next_most=double)
cdef (int, int) best_pairs(columns lines) noexcept nogil
@cython.locals(frame=transform)
cdef void normalise(columns lines, double disturbance) noexcept nogil
include "loop_6r.pxi"
