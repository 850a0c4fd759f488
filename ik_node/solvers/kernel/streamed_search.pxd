include "streamed_search.pxi"
