include "servo_data.pxi"
# cpdef: ServoData.take(), ServoData.copied()
# double: ServoData.period, ServoData.length, ServoData.small
# int: ServoData.n
cdef int TWIST, JOINTS, POSE
