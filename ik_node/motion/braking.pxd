include "braking.pxi"
# cpdef noexcept nogil: gentle(), stopping(), peak(), highest()
