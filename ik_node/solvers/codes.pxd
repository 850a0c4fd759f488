# Not compiled: inlined where it is used.
include "codes.pxi"
