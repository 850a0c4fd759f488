"""Numbers into arrays that callers get, without the typed view that takes longer than a copy."""

import numpy as np

from ik_node.support.arrays import Rows


def copy_rows(found: Rows, out: np.ndarray) -> None:
    """Copy the first rows of a matrix into a new array (k, n) of float64, in C order."""
    for i in range(out.shape[0]):
        out[i] = found[i][:out.shape[1]]
