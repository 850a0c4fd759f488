from ik_node.kernels.arrays cimport Memory, integers, matrix, vector


cdef class StepWork:
    cdef Memory memory
    cdef readonly int n
    cdef matrix A, B, base, A_trial, G, Q, R
    cdef vector e, e_trial, e_wanted, left, rest, values, inevitable, y
    cdef vector x, p, trial, lower, upper, inside, gradient, multipliers
    cdef integers active, rows, places, columns, free, freed, bounds, held

    cdef vector row(self, int count)
    cdef integers indices(self, int count)
