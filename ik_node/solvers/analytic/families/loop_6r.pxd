include "loop_6r.pxi"
