include "swivel.pxi"

cdef double NAN


cdef class Swivel(ClosedFamily):
    cdef double towards(self, transform M, vector3 hint) noexcept nogil
    @cython.locals(work=ClosedForm)
    cpdef object angle_towards(self, const double[:, ::1] T_base_goal, const double[::1] point)
