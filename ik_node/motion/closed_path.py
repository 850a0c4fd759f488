"""A closed path for the tip of any arm, inside the limits and away from singularities."""

import numpy as np

from ik_node.model.chain import Chain

_SWING = 0.25        # of the range of a joint, to either side of its middle
_FREE_SWING = 1.0    # rad, or m, of a joint without limits
_TRIED = 24          # paths, of which the best conditioned is chosen
_LOOKED_AT = 32      # configurations checked on each


class ClosedPath:
    """Every joint oscillates about the middle of its limits, each with its own phase."""

    def __init__(self, chain: Chain, seed: int = 0) -> None:
        """Choose, of several paths, the one whose worst configuration is best conditioned."""
        self.chain = chain
        limited = np.isfinite(chain.lower) & np.isfinite(chain.upper)
        self._middle = chain.neutral()
        self._swing = np.full(chain.n_joints, _FREE_SWING)
        lower, upper = chain.lower[limited], chain.upper[limited]
        self._middle[limited] = 0.5 * (lower + upper)
        self._swing[limited] = _SWING * (upper - lower)
        rng = np.random.default_rng(seed)
        phases = rng.uniform(0.0, 2.0 * np.pi, (_TRIED, chain.n_joints))
        self._phase = max(phases, key=self._worst_conditioning)

    def configuration(self, s: float) -> np.ndarray:
        """Return the joint values (n,), rad or m, at a part s of the path, periodic in 1."""
        return self._configuration(s, self._phase)

    def pose(self, s: float) -> np.ndarray:
        """Return T_base_tip (4, 4), m, at a part s of the path."""
        return self.chain.forward(self.configuration(s))

    def _configuration(self, s: float, phase: np.ndarray) -> np.ndarray:
        return self._middle + self._swing * np.sin(2.0 * np.pi * s + phase)

    def _worst_conditioning(self, phase: np.ndarray) -> float:
        """Return the smallest relevant singular value on the path, with rows of equal scale."""
        worst = np.inf
        for s in np.linspace(0.0, 1.0, _LOOKED_AT, endpoint=False):
            J = self.chain.jacobian(self._configuration(s, phase))
            J[:3] /= max(np.abs(J[:3]).max(), 1e-9)
            values = np.linalg.svd(J, compute_uv=False)
            # Axes that the arm can never control do not count.
            worst = min(worst, values[values > 1e-6].min(initial=np.inf))
        return float(worst)
