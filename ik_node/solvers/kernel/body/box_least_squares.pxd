include "box_least_squares.pxi"
