include "level.pxi"
# int: Level.former_sides
