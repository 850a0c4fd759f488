"""Low-discrepancy samples for initial guesses, reproducible by a seed."""

import numpy as np


def low_discrepancy(count: int, n: int, seed: int) -> np.ndarray:
    """Return `count` points (count, n) in [0, 1), more evenly distributed than random ones.

    The additive recurrence x + i/φⁱ with φ the root of φⁿ⁺¹ = φ + 1, which is what the golden
    section is in one dimension [Roberts 2018, R sequence]; the seed shifts it as a whole.
    """
    phi = 2.0
    for _ in range(60):
        phi = (1.0 + phi) ** (1.0 / (n + 1))
    steps = phi ** -np.arange(1.0, n + 1)
    shift = np.random.default_rng(seed).random(n)
    return (shift + np.arange(1, count + 1)[:, None] * steps) % 1.0
