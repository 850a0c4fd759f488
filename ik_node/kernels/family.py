"""Settings of the Jacobian family."""

from typing import Any

from ik_node.kernels.arrays import Memory, Vector


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

    def __init__(self, options: Any) -> None:
        """Copy the options."""
        self.memory = Memory()
        self.bias_exponent, self.biased = options.bias_exponent, options.biased
        self.alternate, self.rank_tolerance = options.alternate, options.rank_tolerance
        self.manipulability_gain, self.path_step = options.manipulability_gain, options.path_step
        self.bias_target = self.memory.vector(options.bias_target)
        self.bias_gain = self.memory.vector(options.bias_gain)
        self.parameter, self.factorization = options.parameter, options.factorization
        self.damping_rule, self.error_share = options.damping_rule, options.error_share
        self.max_angle, self.alpha_scale = options.max_angle, options.alpha_scale
