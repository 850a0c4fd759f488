include "tree.pxi"


cdef class Tree:
    cdef Memory memory
    cdef readonly int links, n
    cdef integers parent, kind, column, moved
    cdef poses placement
    cdef points axis, center
    cdef vector ratio, offset, mass
    cdef rotations inertia
    cdef readonly list idle
