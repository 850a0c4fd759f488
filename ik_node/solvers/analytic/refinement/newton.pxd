include "newton.pxi"
# int: STEPS, FEW_STEPS
# double: ALL_BUT_SINGULAR
