from ik_node.support.arrays cimport (
    Memory, columns, fours, fourteens, integers, nines, sixteens, twelves, vector)


cdef class EliminationWork:
    cdef Memory memory
    cdef columns lines, found
    cdef nines P, Q, fixed, cosine, sine
    cdef fourteens N
    cdef twelves M, V
    cdef sixteens K
    cdef fours A
    cdef vector real, imaginary, v, theta
    cdef integers order
