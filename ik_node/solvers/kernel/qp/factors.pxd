include "factors.pxi"
