include "mass_matrix.pxi"
