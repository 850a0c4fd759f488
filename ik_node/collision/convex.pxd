include "convex.pxi"
# public bint: Convex.is_larger
