include "shortest_path.pxi"

cdef long COMPARED


cdef class Rungs:
    cdef Memory memory
    cdef readonly int m, n
    cdef vector q, cost, scale, bound
    cdef integers first, cyclic, chosen, left_out, begin
    cdef points state

    @cython.locals(least=double)
    cpdef tuple shortest_path(self, double most, bint anchored, bint widest, double deadline)


@cython.locals(gap=cython.bint, late=cython.bint, begins=cython.bint, bounded=cython.bint,
               steps=long, lead=int, source=int, last=int)
cdef double choose(Rungs rungs, double most, bint anchored, bint widest,
                   double deadline) noexcept nogil
@cython.locals(k=int, end=int)
cdef bint is_left_out(Rungs rungs, int p, int c) noexcept nogil
