include "tree.pxi"
