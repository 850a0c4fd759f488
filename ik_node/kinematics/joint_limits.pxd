include "joint_limits.pxi"
