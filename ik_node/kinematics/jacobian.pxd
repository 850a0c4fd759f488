include "jacobian.pxi"
