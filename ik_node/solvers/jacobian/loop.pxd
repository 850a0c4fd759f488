include "loop.pxi"
# except -1 nogil: JacobianMethod.attempt()
