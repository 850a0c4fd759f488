"""The inertials of a tree as flat arrays."""

from typing import NamedTuple

import numpy as np


class InertiaArrays(NamedTuple):
    """Mass, centre of mass and inertia of every link of a `TreeArrays`; zero where it has none."""

    mass: np.ndarray
    """(k,) kg."""
    center: np.ndarray
    """(k, 3) centre of mass, link frame, m."""
    inertia: np.ndarray
    """(k, 3, 3) about the centre of mass, link axes, kg m²."""
