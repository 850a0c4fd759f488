include "redundant_selection.pxi"
