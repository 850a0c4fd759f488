include "hierarchical_qp.pxi"
# cpdef: Cascade.run()
# int: Cascade.m
