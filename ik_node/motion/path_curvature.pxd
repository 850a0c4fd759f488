include "path_curvature.pxi"
