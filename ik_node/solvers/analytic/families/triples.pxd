include "triples.pxi"
