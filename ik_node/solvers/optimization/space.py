"""The configurations that a minimizer may choose from, and its variables."""

from typing import NamedTuple

import numpy as np

_HOLDS = 1e-6  # rad or m: a linear constraint holds where it is missed by no more


class Space(NamedTuple):
    """Limits and linear constraints `a_lower ≤ A q ≤ a_upper`."""

    lower: np.ndarray    # (n,) rad or m; infinite without a limit
    upper: np.ndarray
    unit: np.ndarray     # (n,) rad or m: the change of a joint that counts as 1 in the variables
    A: np.ndarray        # (k, n)
    a_lower: np.ndarray  # (k,) rad or m
    a_upper: np.ndarray

    def allows(self, q: np.ndarray) -> bool:
        """Tell whether q (n,) is inside the limits and keeps the linear constraints."""
        inside = bool((q >= self.lower).all() and (q <= self.upper).all())
        return inside and self.keeps_constraints(q)

    def keeps_constraints(self, q: np.ndarray) -> bool:
        """Tell whether q (n,) keeps the linear constraints, to 1e-6 rad or m."""
        if not len(self.A):
            return True
        sums = self.A @ q
        return bool((sums >= self.a_lower - _HOLDS).all() and (sums <= self.a_upper + _HOLDS).all())


class Variables:
    """The variables x of a minimizer: joint values in units, without those that cannot move.

    - `lower`, `upper`: (m,) their bounds; `A`: (k, m) linear constraints of x, between `a_lower`
      and `a_upper` (k,).
    """

    def __init__(self, space: Space, start: np.ndarray) -> None:
        """Choose the variables; start (n,): fixed joints keep their values of it."""
        self._free, self._rest = space.lower < space.upper, start.copy()
        self._unit = space.unit[self._free]
        self.lower = space.lower[self._free] / self._unit
        self.upper = space.upper[self._free] / self._unit
        self.A = space.A[:, self._free] * self._unit
        fixed = space.A[:, ~self._free] @ start[~self._free]
        self.a_lower, self.a_upper = space.a_lower - fixed, space.a_upper - fixed
        self._limits = space.lower, space.upper

    def of(self, q: np.ndarray) -> np.ndarray:
        """Return the variables (m,) of q (n,)."""
        return np.clip(q[self._free] / self._unit, self.lower, self.upper)

    def joint_values(self, x: np.ndarray) -> np.ndarray:
        """Return q (n,) of the variables (m,); rounding at a limit is removed."""
        q = self._rest.copy()
        q[self._free] = x * self._unit
        for limit in self._limits:
            near = np.isfinite(limit) & (np.abs(q - limit) <= 1e-12 * (1.0 + np.abs(q)))
            q[near] = limit[near]
        return q

    def slope(self, gradient: np.ndarray) -> np.ndarray:
        """Return derivatives by x (…, m) for derivatives by q (…, n)."""
        return gradient[..., self._free] * self._unit
