include "restarts.pxi"
