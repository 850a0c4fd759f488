"""Colours of the figures of a workspace, for RViz and the browser."""

import numpy as np

# viridis at 0, 1/8 … 1 (Smith & van der Walt, matplotlib), interpolated linearly.
_VIRIDIS = np.array([
    (0.267, 0.005, 0.329), (0.283, 0.141, 0.458), (0.230, 0.322, 0.546), (0.173, 0.449, 0.558),
    (0.128, 0.567, 0.551), (0.158, 0.684, 0.502), (0.369, 0.789, 0.383), (0.678, 0.864, 0.190),
    (0.993, 0.906, 0.144)])
PARTLY_REACHABLE, REACHABLE = (0.66, 0.79, 0.91), (0.18, 0.44, 0.69)
"""The colours of voxels in "reachable"."""


def figure_colors(values: np.ndarray, figure: str) -> np.ndarray:
    """Return colours (k, 3), 0 to 1, of the values (k,) of a figure.

    Manipulability and conditioning are coloured up to the best found, dexterity up to 1.
    """
    if figure == 'reachable':
        return np.where(values[:, None] == 1.0, REACHABLE, PARTLY_REACHABLE)
    most = largest(values, figure)
    places = np.linspace(0.0, 1.0, len(_VIRIDIS))
    return np.column_stack([np.interp(values / most, places, channel) for channel in _VIRIDIS.T])


def largest(values: np.ndarray, figure: str) -> float:
    """Return the value of a figure that has the last colour, given the values (k,)."""
    return 1.0 if figure == 'dexterity' else float(values.max(initial=0.0)) or 1.0


def color_scale() -> list[tuple[float, float, float]]:
    """Return the colours, 0 to 1, at equal steps from 0 to the largest value of a figure."""
    return [(r, g, b) for r, g, b in _VIRIDIS.tolist()]
