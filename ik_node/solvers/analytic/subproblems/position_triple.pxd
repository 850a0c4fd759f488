include "position_triple.pxi"
