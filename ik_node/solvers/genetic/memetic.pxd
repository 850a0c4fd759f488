include "memetic.pxi"
