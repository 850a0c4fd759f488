include "servo_guard.pxi"
# cpdef: GuardedServos.refresh(), GuardedServos.advance()
# Python: GuardedServos.contact()
# double: GuardedServos.dt
