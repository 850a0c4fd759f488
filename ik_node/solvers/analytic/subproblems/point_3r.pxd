include "point_3r.pxi"
