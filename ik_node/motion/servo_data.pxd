include "servo_data.pxi"
# double: ServoData.period, ServoData.length, ServoData.small
# int: ServoData.n
cdef int TWIST, JOINTS, POSE
