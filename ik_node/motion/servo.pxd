include "servo.pxi"
# cpdef: Servo.follow_twist(), Servo.follow_joints(), Servo.follow_pose(), Servo.stop(), Servo.advance(), Servo.state()
