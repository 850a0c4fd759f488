"""Random numbers in kernels: the same in machine code and in plain Python."""

from ik_node._jit import Vector, inline

_MODULUS = 2147483647   # 2³¹ − 1
_MULTIPLIER = 48271
_ROOT_3 = 1.7320508075688772


def first_state(seed: int) -> int:
    """Return the state that the generator begins with, from 1 to 2³¹ − 2."""
    return 1 + (seed * 1664525 + 1013904223) % (_MODULUS - 1)


@inline
def uniform(state: Vector) -> float:
    """Return a number in (0, 1), and advance the state (1,) [Park & Miller 1988, "MINSTD"]."""
    number = int(state[0]) * _MULTIPLIER % _MODULUS
    state[0] = number
    return number / _MODULUS


@inline
def normal(state: Vector) -> float:
    """Return a number of mean 0 and variance 1, close to a normal distribution.

    The sum of four uniform numbers: no logarithm, and no outliers beyond 3.5.
    """
    total = uniform(state) + uniform(state) + uniform(state) + uniform(state)
    return (total - 2.0) * _ROOT_3
