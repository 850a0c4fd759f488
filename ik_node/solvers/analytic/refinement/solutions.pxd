include "solutions.pxi"
# int: Solutions.most, Enumeration.most
