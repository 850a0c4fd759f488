include "world.pxi"
# int: LEAF, DEPTH
