"""Argument types of kernels that Python calls, given as annotations.

Every array is C-contiguous. An array type stands for `numpy.ndarray` to a type checker.
"""

from typing import Annotated

import numpy as np

Vector = Annotated[np.ndarray, 'float64', 1]
Matrix = Annotated[np.ndarray, 'float64', 2]
Stack = Annotated[np.ndarray, 'float64', 3]   # of matrices
Integers = Annotated[np.ndarray, 'int64', 1]
Booleans = Annotated[np.ndarray, 'bool', 1]
