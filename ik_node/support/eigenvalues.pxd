include "eigenvalues.pxi"
