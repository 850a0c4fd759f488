include "signed_distance.pxi"
