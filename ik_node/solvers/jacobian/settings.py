"""Settings of the kernels of the Jacobian family."""

import math
from typing import NamedTuple

import numpy as np

from ik_node.kernels.codes import AUTO, CONSTANT

# Singular values below this fraction of the largest count as zero. It is above the
# value (4e-6) of an exact zero in files with 1.5708 for a right angle.
RANK_TOLERANCE = 1e-5


class JacobianSettings(NamedTuple):
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
    bias_target: np.ndarray
    """(n,) rad or m."""
    bias_gain: np.ndarray
    """(n,); 0 where a joint is not biased."""
    parameter: float = math.nan
    """The method's own parameter: λ or α; NaN where the method chooses it."""
    factorization: int = AUTO
    """AUTO, LU or SVD."""
    damping_rule: int = CONSTANT
    """CONSTANT, SUGIHARA, CHAN, NAKAMURA or SELECTIVE; dls only."""
    error_share: float = 0.0
    """λ² as a fraction of the error energy; dls by SUGIHARA and CHAN."""
    max_angle: float = 0.0
    """γ_max, rad or m; dls by SELECTIVE."""
    alpha_scale: float = 1.0
    """Factor of Buss's α; transpose only."""
