include "filling_kernel.pxi"
# cpdef: Filler.locate(), Filler.sample(), Filler.spread()
# int: Filler.looks, Filler.n, Filler.most, Filler.first, Filler.last
# cdef: Filler.place()
# bint: Filler.has_turn
# vector: Filler.low, Filler.shift, Filler.stride, Filler.weights, Filler.measured
