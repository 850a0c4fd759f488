include "point_tasks.pxi"
# except -1 nogil: CenterOfMassTask.rows()
