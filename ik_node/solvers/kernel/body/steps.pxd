include "steps.pxi"
