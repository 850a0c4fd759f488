include "servo_data.pxi"
# cpdef: ServoData.take(), ServoData.finish()
# public object: ServoData.guard
# double: ServoData.period, ServoData.length, ServoData.small
# int: ServoData.n
cdef int TWIST, JOINTS, POSE
