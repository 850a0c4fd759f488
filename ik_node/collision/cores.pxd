# Not compiled: inlined where it is used.
include "cores.pxi"
