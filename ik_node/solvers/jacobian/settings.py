"""Settings of the Jacobian family."""

import math

import numpy as np

from ik_node.solvers import codes
from ik_node.support.arrays import Memory, Vector

# Singular values below this fraction of the largest count as zero. It is above the
# value (4e-6) of an exact zero in files with 1.5708 for a right angle.
RANK_TOLERANCE = 1e-5


class JacobianSettings:
    """Settings of the Jacobian family."""

    bias_exponent: float
    biased: bool
    """Whether a bias is requested: then iterations continue until it has converged."""
    alternate: bool
    """Whether the Jacobian is taken at the goal instead of the tip."""
    rank_tolerance: float
    """The fraction of the largest singular value below which others count as zero."""
    manipulability_gain: float
    """Rad or m per unit of manipulability's gradient; 0 for none."""
    path_step: float
    """Largest error to be removed in one iteration, m and rad; infinite for all of it."""
    bias_target: Vector
    """(n,) rad or m."""
    bias_gain: Vector
    """(n,); 0 where a joint is not biased."""
    parameter: float
    """The method's own parameter: λ or α; NaN where the method chooses it."""
    factorization: int
    """AUTO, LU or SVD."""
    damping_rule: int
    """CONSTANT, SUGIHARA, CHAN, NAKAMURA or SELECTIVE; dls only."""
    error_share: float
    """λ² as a fraction of the error energy; dls by SUGIHARA and CHAN."""
    max_angle: float
    """γ_max, rad or m; dls by SELECTIVE."""
    alpha_scale: float
    """Factor of Buss's α; transpose only."""

    def __init__(self, bias_target: np.ndarray, bias_gain: np.ndarray, *,
                 bias_exponent: float = 2.0, biased: bool = False, alternate: bool = False,
                 rank_tolerance: float = RANK_TOLERANCE, manipulability_gain: float = 0.0,
                 path_step: float = math.inf, parameter: float = math.nan,
                 factorization: int = codes.AUTO, damping_rule: int = codes.CONSTANT,
                 error_share: float = 0.0, max_angle: float = 0.0,
                 alpha_scale: float = 1.0) -> None:
        """Copy the options; see the fields."""
        self.memory = Memory()
        self.bias_target = self.memory.vector(bias_target)
        self.bias_gain = self.memory.vector(bias_gain)
        self.bias_exponent, self.biased, self.alternate = bias_exponent, biased, alternate
        self.rank_tolerance, self.manipulability_gain = rank_tolerance, manipulability_gain
        self.path_step, self.parameter = path_step, parameter
        self.factorization, self.damping_rule = factorization, damping_rule
        self.error_share, self.max_angle, self.alpha_scale = error_share, max_angle, alpha_scale
