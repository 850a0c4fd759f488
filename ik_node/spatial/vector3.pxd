# Not compiled: inlined where it is used.
include "vector3.pxi"
