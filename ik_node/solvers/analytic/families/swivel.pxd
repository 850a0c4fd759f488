include "swivel.pxi"

cdef double NAN


cdef class Swivel(ClosedFamily):
    cdef double towards(self, transform M, vector3 hint) noexcept nogil
