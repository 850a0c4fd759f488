include "servo_data.pxi"
# cpdef: ServoData.take(), ServoData.finish()
# public object: ServoData.guard
# Python: serves_apart()
# double: ServoData.period, ServoData.length, ServoData.small, ServoData.horizon
# int: ServoData.n
cdef int TWIST, JOINTS, POSE, NEXT
