include "selection.pxi"
# int: Selection.end
