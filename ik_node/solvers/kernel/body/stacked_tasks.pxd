include "stacked_tasks.pxi"


cdef class StackedTasks:
    cdef Memory memory
    cdef readonly int levels, m, count
    cdef readonly list sides, level_sizes
    cdef objects tasks
    cdef integers sizes, necessary, first_task, first_row, all_necessary, some_one_sided
    cdef integers metres, one_sided
    cdef vector scale
    cdef double position_tolerance, orientation_tolerance


cdef class BodyData(TaskData):
    cdef StepData step
    cdef vector q
    cdef readonly double cost
    cdef readonly bint met
    cdef int iterations

    @cython.locals(task=BodyTask)
    cdef begin(self, StackedTasks stack, const double[::1] q)


cdef int rows_at(StackedTasks stack, Tree tree, BodyData work, vector q, matrix A,
                 vector e) except -1 nogil
@cython.locals(met=cython.bint)
cdef int level_rows(StackedTasks stack, int level, Tree tree, BodyData work, vector q, matrix A,
                    vector e) except -1 nogil
