from libc cimport math
cimport cython

cdef double INF, FINEST, _GOLDEN


cdef class Curve:
    cdef double value(self, double x) noexcept nogil
    @cython.locals(low=double, x=double, high=double, fx=double, v=double, w=double, fv=double,
                   fw=double, u=double, fu=double, moved=double, before=double, top=double,
                   bottom=double, r=double, p=double, middle=double, golden=cython.bint)
    cdef double minimum(self, double low, double x, double high, double fx,
                        int steps) noexcept nogil
