include "held_directions.pxi"
