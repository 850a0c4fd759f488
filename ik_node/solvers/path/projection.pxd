include "projection.pxi"
