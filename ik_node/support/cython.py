"""Stands in for the module `cython` where kernels run as they are and it is not installed."""

import contextlib
from typing import Any

compiled = False
nogil = contextlib.nullcontext()


def cast(_: Any, value: Any) -> Any:
    """Return a value as it is."""
    return value
