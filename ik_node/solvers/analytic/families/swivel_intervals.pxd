include "swivel_intervals.pxi"
