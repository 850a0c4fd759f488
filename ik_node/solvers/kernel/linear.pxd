include "linear.pxi"
