include "chain_kinematics.pxi"
