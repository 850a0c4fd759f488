include "body_task.pxi"
# public bint: BodyTask.misses
# except -1 nogil: BodyTask.rows()
# except? -1.0 nogil: BodyTask.energy()
# except -1 with gil: PythonTask.call()
# except? -1.0 with gil: PythonTask.call_energy()
# except -1: copy_rows()
# double: PythonTask.weight
