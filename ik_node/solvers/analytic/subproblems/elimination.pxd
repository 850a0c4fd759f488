from libc cimport math
cimport ik_node.solvers.analytic.subproblems.line_table as line_table
cimport ik_node.solvers.analytic.subproblems.null_spaces as null_spaces
from ik_node.support.arrays cimport columns, nines, twelves, vector
from ik_node.solvers.analytic.subproblems.elimination_work cimport EliminationWork


cdef void bilinear(columns lines, int line, int inner, int outer, double sense,
                   nines F) noexcept nogil
cdef void _write_fourteen(columns lines, int line, nines F, int column) noexcept nogil
cdef void to_coefficients(vector row, int first, int stride) noexcept nogil
cdef void six_equations(EliminationWork work) noexcept nogil
cdef void twelve_equations(EliminationWork work, double theta3) noexcept nogil
cdef void _double(twelves M, int row, int other, int j, double f, double g,
                  double h) noexcept nogil
cdef double sixteen_roots(EliminationWork work, double phi) noexcept nogil
cdef void split(vector v, vector theta) noexcept nogil
