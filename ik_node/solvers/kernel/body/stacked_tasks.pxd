include "stacked_tasks.pxi"
# except -1 nogil: rows_at(), level_rows()
# int: StackedTasks.m
# list: StackedTasks.sides
# cdef: BodyData.begin()
