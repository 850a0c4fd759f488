# Not compiled: inlined where it is used.
include "angles.pxi"
