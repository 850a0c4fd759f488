include "so3.pxi"
