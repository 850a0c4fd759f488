include "pair.pxi"
