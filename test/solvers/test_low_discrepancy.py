import numpy as np
import pytest
from scipy.stats import qmc

from ik_node.solvers.kernel.low_discrepancy import low_discrepancy


@pytest.mark.parametrize('n', [1, 2, 3, 6, 7])
def test_they_are_more_even_than_random_ones(n):
    points = low_discrepancy(100, n, 0)
    assert points.shape == (100, n)
    assert points.min() >= 0.0
    assert points.max() < 1.0
    random = np.mean([qmc.discrepancy(np.random.default_rng(seed).random((100, n)))
                      for seed in range(10)])
    assert qmc.discrepancy(points) < 0.7 * random


def test_a_seed_says_which():
    assert (low_discrepancy(10, 3, 1) == low_discrepancy(10, 3, 1)).all()
    assert (low_discrepancy(10, 3, 1) != low_discrepancy(10, 3, 2)).any()
    assert low_discrepancy(0, 3, 0).shape == (0, 3)
