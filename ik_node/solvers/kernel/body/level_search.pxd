include "level_search.pxi"
# except -1 nogil: search(), arrive(), evaluate(), restore()
# except? -1.0 nogil: step_from()
# StackedTasks: LevelSearch.stack
