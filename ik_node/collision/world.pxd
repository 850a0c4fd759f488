from ik_node.support.arrays cimport Memory, columns, objects, poses


cdef int LEAF, DEPTH


cdef class World:
    cdef Memory memory
    cdef readonly int count, planes, leaves
    cdef readonly bint has_larger
    cdef readonly double reach
    cdef readonly list named
    cdef objects shape
    cdef poses place
    cdef columns boxes
