include "restarts.pxi"


cdef class Table:
    cdef Memory memory
    cdef int entries, cells
    cdef integers first
    cdef double edge
    cdef vector corner, samples, q
    cdef points position
    cdef rotations rotation
