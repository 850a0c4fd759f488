include "linear_systems.pxi"
