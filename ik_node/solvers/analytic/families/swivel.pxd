include "swivel.pxi"
