"""The seed of the random numbers of an evolution."""

_MODULUS = 2147483647   # 2³¹ − 1, as of `population`


def first_state(seed: int) -> int:
    """Return the state that the generator begins with, from 1 to 2³¹ − 2."""
    return 1 + (seed * 1664525 + 1013904223) % (_MODULUS - 1)
