"""What the kernels of the Jacobian family are told besides."""

import math
from typing import NamedTuple

import numpy as np

from ik_node._jit import njit

# How the pseudoinverse is taken
AUTO, LU, SVD = range(3)

# Where λ comes from; the last has a λ for every singular vector
CONSTANT, SUGIHARA, CHAN, NAKAMURA, SELECTIVE = range(5)

# Singular values below this fraction of the largest count as zero. It lies above what files that
# say 1.5708 for a right angle leave of an exact zero (4e-6), so that such an arm behaves as meant.
RANK_TOLERANCE = 1e-5


class JacobianSettings(NamedTuple):
    """What the Jacobian family knows besides."""

    bias_exponent: float
    biased: bool
    """Whether the bias is asked for: then the solver goes on until it has done its work."""
    alternate: bool
    """Whether the Jacobian is taken at the goal instead of the tip."""
    rank_tolerance: float
    """The fraction of the largest singular value below which others count as zero."""
    manipulability_gain: float
    """Rad or m per unit of manipulability's gradient; 0 for none."""
    path_step: float
    """What of the error one iteration is asked to take away, m and rad; infinite for all."""
    bias_target: np.ndarray
    """(n,) rad or m."""
    bias_gain: np.ndarray
    """(n,); 0 where a joint is not biased."""
    parameter: float = math.nan
    """The method's own number: λ or α; NaN where the method is to choose it."""
    factorization: int = AUTO
    """AUTO, LU or SVD."""
    damping_rule: int = CONSTANT
    """CONSTANT, SUGIHARA, CHAN, NAKAMURA or SELECTIVE; dls only."""
    error_share: float = 0.0
    """Of the error's energy in λ²; dls by SUGIHARA and CHAN."""
    max_angle: float = 0.0
    """γ_max, rad or m; dls by SELECTIVE."""
    alpha_scale: float = 1.0
    """What Buss's α is multiplied by; transpose only."""


@njit
def unpack_jacobian(numbers, at, n):
    """Return the `JacobianSettings` that `pack` laid out: scalars first, then arrays."""
    x, arrays = numbers[at:], at + 12
    return JacobianSettings(
        x[0], x[1] != 0.0, x[2] != 0.0, x[3], x[4], x[5], numbers[arrays:arrays + n],
        numbers[arrays + n:arrays + 2 * n], x[6], int(x[7]), int(x[8]), x[9], x[10],
        x[11])
