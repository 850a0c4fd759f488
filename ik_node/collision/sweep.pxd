include "sweep.pxi"
# cpdef: Sweep.run()
# int: Sweep.n
# double: Sweep.around
