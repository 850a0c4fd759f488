cimport ik_node.solvers.codes as codes
from ik_node.support.arrays cimport (
    Memory, columns, integers, points, pose, poses, rotation, square, vector)
from ik_node.collision.scene cimport SceneData
from ik_node.solvers.kernel.task cimport TipTask
cimport cython

cdef double INF


cdef class Settings:
    cdef Memory memory
    cdef double position_tolerance, orientation_tolerance, max_step, progress
    cdef int max_iterations, patience
    cdef int prefer
    cdef readonly double length
    cdef double reach, hole, wrist_reach
    cdef vector centre, wrist, wrist_centre, scale, span


cdef class ArmData:
    cdef Memory memory
    cdef poses frames
    cdef columns J, W
    cdef square U, A
    cdef rotation R
    cdef pose T
    cdef vector e, V, rest, Jz, beta
    cdef vector dq, z, null, slope, direction, begun, unit, q0, start, q, best, ascent
    cdef integers free, picked
    cdef vector away, cost
    cdef int iterations, end, best_iterations, attempts, solutions
    cdef double deadline, nearby, error, position, orientation, least_cost
    cdef TipTask task, plain
    cdef SceneData touch

    cdef void begin(self) noexcept nogil
