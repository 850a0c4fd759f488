include "cylinder_newton.pxi"
