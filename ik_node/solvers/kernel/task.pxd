include "task.pxi"
