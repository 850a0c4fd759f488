include "rotation_triple.pxi"
