include "forward.pxi"
