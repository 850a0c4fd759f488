include "sweep.pxi"
