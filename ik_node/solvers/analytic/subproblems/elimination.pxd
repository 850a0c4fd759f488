from libc cimport math
cimport ik_node.solvers.analytic.subproblems.null_spaces as null_spaces
cimport ik_node.solvers.analytic.subproblems.opening as opening
cimport ik_node.solvers.analytic.subproblems.sizes as sizes
from ik_node.support.arrays cimport (
    Memory, columns, fours, fourteens, integers, nines, sixteens, twelves, vector)


cdef class EliminationWork:
    cdef Memory memory
    cdef bint beside_motion
    cdef columns lines, found
    cdef nines P, Q, fixed, cosine, sine
    cdef fourteens N
    cdef twelves M, V
    cdef sixteens K
    cdef fours A
    cdef vector real, imaginary, v, theta
    cdef integers order


cdef void bilinear(columns lines, int line, int inner, int outer, double sense,
                   nines F) noexcept nogil
cdef void _write_fourteen(columns lines, int line, nines F, int column) noexcept nogil
cdef void six_equations(EliminationWork work) noexcept nogil
cdef void twelve_equations(EliminationWork work, double theta3) noexcept nogil
cdef void _double(twelves M, int row, int other, int j, double f, double g,
                  double h) noexcept nogil
cdef double sixteen_roots(EliminationWork work, double phi) noexcept nogil
cdef void split(vector v, vector theta) noexcept nogil
