include "clock.pxi"
# cpdef: present()
# cpdef noexcept nogil: is_over()
# Python: Cancellation.begin_anew(), Cancellation.cancel(), Cancellation.end_by()
# Python: Cancellation.is_cancelled(), Cancellation.has_ended_any()
# Python: ends_by
