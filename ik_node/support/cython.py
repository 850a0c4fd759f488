"""What the kernels use of the module `cython`, for running them as they are where it is missing."""

import contextlib
from typing import Any

compiled = False
nogil = contextlib.nullcontext()


def cast(_: Any, value: Any) -> Any:
    """Return a value as it is."""
    return value
