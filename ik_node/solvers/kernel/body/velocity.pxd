include "velocity.pxi"
# except -1 nogil: Velocity.step(), Velocity.direction(), rows_at(), correct()
# except? -1.0 nogil: converge()
# cpdef: is_plain()
# cdef: Velocity.write()
