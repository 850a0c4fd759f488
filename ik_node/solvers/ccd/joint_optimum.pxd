include "joint_optimum.pxi"
# int: CcdSettings.order
# double: CcdSettings.position_weight, CcdSettings.orientation_weight
