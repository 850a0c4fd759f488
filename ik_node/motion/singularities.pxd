include "singularities.pxi"
