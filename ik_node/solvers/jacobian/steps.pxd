include "steps.pxi"
# int: DampedLeastSquares.damping_rule
# double: DampedLeastSquares.error_share, DampedLeastSquares.max_angle, Transpose.alpha_scale
