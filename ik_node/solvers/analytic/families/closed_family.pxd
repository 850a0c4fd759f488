include "closed_family.pxi"
# int: MOST_BRANCHES
# int: ClosedFamily.place, ClosedFamily.span, ClosedFamily.parameters
# double: ClosedFamily.size, ClosedFamily.slack
# bint: ClosedFamily.may_be_off
