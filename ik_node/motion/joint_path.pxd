include "joint_path.pxi"
# int: JointPath.count, JointPath.n
