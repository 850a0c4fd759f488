include "polynomials.pxi"
