include "constrained_dynamics.pxi"


cdef class Mass:
    cdef Memory memory
    cdef bint has_inertia
    cdef Tree tree
    cdef vector diagonal, heavier


cdef class Motion(Velocity):
    cdef Memory memory
    cdef Mass mass
    cdef int constraints
    cdef integers constant
    cdef double feedback


cdef void motion(Motion own, VelocityData work, int count, double dt, bint at_rest) noexcept nogil
cdef void write_mass(Motion own, VelocityData work) noexcept nogil
