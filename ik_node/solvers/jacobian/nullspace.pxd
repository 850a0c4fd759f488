include "nullspace.pxi"
# double: JacobianSettings.bias_exponent, JacobianSettings.rank_tolerance
# double: JacobianSettings.manipulability_gain
