include "householder.pxi"
