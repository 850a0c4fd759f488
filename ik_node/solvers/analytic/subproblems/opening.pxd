from libc cimport math
cimport ik_node.solvers.analytic.subproblems.elimination as elimination
cimport ik_node.solvers.analytic.subproblems.line_table as line_table
from ik_node.support.arrays cimport columns, fours, points, vector
from ik_node.spatial.vector3 cimport motion
cimport cython

cdef void arrange(points axes, points points, motion M, int first, bint backward,
                  columns lines) noexcept nogil
@cython.locals(a=int, b=int, best=int, second=int, most=double, next_most=double)
cdef (int, int) best_pairs(columns lines) noexcept nogil
cdef void normalise(columns lines, double disturbance) noexcept nogil
cdef void _disturb(columns lines, int line, double disturbance) noexcept nogil
cdef double close(columns lines, fours A, vector theta) noexcept nogil
cdef void _write_invariants(columns lines, int line, int about, fours A,
                            int column) noexcept nogil
