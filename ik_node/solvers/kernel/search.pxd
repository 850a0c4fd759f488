include "search.pxi"
# except -1 nogil: try_starts()
