cimport ik_node.kinematics.tree as trees
cimport ik_node.solvers.kernel.qp.level as qp
from ik_node.support.arrays cimport Memory, integers, matrix, objects, vector
from ik_node.tasks.body_task cimport BodyTask, TaskData
from ik_node.kinematics.tree cimport Tree
cimport cython


cdef class StackedTasks:
    cdef Memory memory
    cdef readonly int levels, m, count
    cdef readonly list sides, level_sizes
    cdef objects tasks
    cdef integers sizes, necessary, first_task, first_row, all_necessary, some_one_sided
    cdef integers metres, one_sided
    cdef vector scale
    cdef double position_tolerance, orientation_tolerance


cdef class LevelCost:
    cdef readonly double cost
    cdef readonly bint met


@cython.locals(task=BodyTask)
cdef take_targets(StackedTasks stack, TaskData work)
cdef int rows_at(StackedTasks stack, Tree tree, TaskData work, vector q, matrix A, vector e,
                 LevelCost found) except -1 nogil
@cython.locals(met=cython.bint)
cdef int level_rows(StackedTasks stack, int level, Tree tree, TaskData work, vector q, matrix A,
                    vector e, LevelCost found) except -1 nogil
cdef double missed2(StackedTasks stack, int level, vector e) noexcept nogil
