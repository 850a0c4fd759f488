include "steps.pxi"


cdef class Limits(JointLimits):
    cdef bint floats
    cdef vector speed, step, scale


cdef class StepData:
    cdef Memory memory
    cdef readonly int n
    cdef matrix A, A_trial, G
    cdef vector e, e_trial, e_wanted, e_here, left, rest, values, y
    cdef vector x, trial, lower, upper
    cdef integers active, rows, places, columns, free, freed
