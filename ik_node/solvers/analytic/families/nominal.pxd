from ik_node.support.arrays cimport columns, integers, Memory, pairs, points, pose, vector
from ik_node.solvers.analytic.subproblems.elimination_work cimport EliminationWork
from ik_node.spatial.vector3 cimport motion

cdef double EXACT_SLACK
cdef int _JOINTS
cdef double _SPHERICAL
cdef double _GENERAL
cdef double _REVOLUTE


cdef class Structure:
    cdef Memory memory
    cdef int place
    cdef int count
    cdef int n
    cdef int locks
    cdef int parameters
    cdef double size
    cdef double slack
    cdef bint may_be_off
    cdef bint has_wrist
    cdef pose T_tip_base
    cdef integers kind
    cdef integers column
    cdef integers locked
    cdef points axes
    cdef points points


cdef class ClosedForm:
    cdef Memory memory
    cdef motion M
    cdef int count
    cdef double parameter
    cdef integers kind
    cdef integers column
    cdef points axes
    cdef points points
    cdef vector start
    cdef vector beside_start
    cdef vector triple_start
    cdef pose rotations
    cdef columns found
    cdef columns wrist
    cdef pairs values
    cdef EliminationWork elimination
