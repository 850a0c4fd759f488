from libc cimport math
cimport ik_node.solvers.analytic.families.closed_family as closed_family
cimport ik_node.solvers.analytic.subproblems.elimination as elimination
cimport ik_node.support.eigenvalues as eigenvalues
from ik_node.support.arrays cimport columns, matrix, points, vector
from ik_node.solvers.analytic.families.closed_family cimport ClosedFamily, ClosedForm
from ik_node.solvers.analytic.subproblems.elimination cimport EliminationWork
from ik_node.spatial.vector3 cimport motion, vector3
from ik_node.spatial.vector3 cimport (
    along, cross, dot, minus, moved, moved_back, norm, rotated, rotated_back, times)
cimport cython

cdef int FIRST, SECOND, THIRD, FOURTH, FIFTH, SIXTH, GOAL, ACROSS, ACROSS_GOAL, ONE, OTHER
cdef double _DISTURBANCE, _SLIGHT, _SINGULAR, _NEARLY_REAL, _REAL, _CLOSED, _HOPELESS, _SAME
cdef int _REFERENCES


cdef class GeneralArm(ClosedFamily):
    cdef int solve(self, ClosedForm work) noexcept nogil

@cython.locals(backward=cython.bint, sound=cython.bint, best=int, second=int)
cdef int _candidates(points axes, points points, motion M, EliminationWork work) noexcept nogil
@cython.locals(sound=cython.bint, single=cython.bint)
cdef (int, bint) _configurations(EliminationWork work, int first, bint backward,
                                 int count) noexcept nogil
cdef bint _add(EliminationWork work, int first, bint backward, int before, int count) noexcept nogil
cdef vector3 point(columns lines, int line) noexcept nogil
cdef vector3 axis(columns lines, int line) noexcept nogil
cdef void _write(columns lines, int line, vector3 p, vector3 h) noexcept nogil
cdef void _move(motion M, bint inverse, columns lines, int line, int target) noexcept nogil
cdef void rotate(columns lines, int line, int about, double angle, int target) noexcept nogil
cdef double _rotation_between(columns lines, int line, int goal, int about) noexcept nogil
cdef void _to_foot(columns lines, int line, vector3 x) noexcept nogil
@cython.locals(v=vector3)
cdef void _write_across(columns lines, int line, int target) noexcept nogil
cdef void to_coefficients(vector row, int first, int stride) noexcept nogil
cdef void bilinear(columns lines, int line, int inner, int outer, double sense,
                   matrix F) noexcept nogil
cdef void _write_fourteen(columns lines, int line, matrix F, int column) noexcept nogil
cdef void arrange(points axes, points points, motion M, int first, bint backward,
                  columns lines) noexcept nogil
@cython.locals(a=int, b=int, best=int, second=int, most=double, next_most=double)
cdef (int, int) best_pairs(columns lines) noexcept nogil
@cython.locals(frame=motion)
cdef void normalise(columns lines, double disturbance) noexcept nogil
cdef void _disturb(columns lines, int line, double disturbance) noexcept nogil
cdef double close(columns lines, matrix A, vector theta) noexcept nogil
cdef void _write_invariants(columns lines, int line, int about, matrix A,
                            int column) noexcept nogil
