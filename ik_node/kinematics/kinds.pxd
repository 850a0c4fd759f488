# Not compiled: inlined where it is used.
include "kinds.pxi"
