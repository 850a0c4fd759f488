include "closest.pxi"
