include "parallel_triple.pxi"
