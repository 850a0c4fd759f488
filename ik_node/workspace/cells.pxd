include "cells.pxi"
# int: HEADINGS, Cells.headings, Cells.turns
# bint: Cells.reduced, Cells.polar
# noexcept nogil: Cells.interpolate(), Cells.openness()
