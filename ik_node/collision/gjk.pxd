include "gjk.pxi"
