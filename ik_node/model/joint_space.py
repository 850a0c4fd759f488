"""The joint values q of a chain or of a body, and their limits."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ik_node.model.tree_structure import TreeStructure
from ik_node.support.arguments import instance, vector
from ik_node.support.exceptions import IkError, InputError
from ik_node.support.immutable import Immutable

_SINGLE = 2.0 * float(np.finfo(np.float32).eps)


class JointSpace(Immutable):
    """The moving joints of a tree that have an entry in q; a `Chain` or a `Body`. Immutable."""

    tree: TreeStructure
    n_joints: int
    joint_names: tuple[str, ...]
    lower: np.ndarray
    upper: np.ndarray
    prismatic: np.ndarray
    turns: np.ndarray

    def neutral(self) -> np.ndarray:
        """Return q (n,) at zero where that is inside the limits, else in the middle of them.

        A joint with a single limit, and zero beyond it, is at that limit.
        """
        return neutral_values(self.lower, self.upper)

    def checked(self, q: Sequence[float] | np.ndarray) -> np.ndarray:
        """Return q as a new array of floats (n,). Raises InputError for a wrong one."""
        return vector(q, self.n_joints, 'q')


def check_joint_space(space: object) -> None:
    """Raise InputError for anything but a chain or a body."""
    instance(space, JointSpace, 'a chain or a body is needed, of tree.chain(…) or tree.body(…)')


def at_limits(values: Any, lower: Any, upper: Any) -> np.ndarray:
    """Return values, those that are a limit in single precision exactly at that limit."""
    nearest = np.clip(values, lower, upper)
    return np.where(np.abs(values - nearest) <= _SINGLE * np.abs(nearest), nearest, values)


def check_inside(space: JointSpace, values: np.ndarray, what: Callable[[int], str],
                 error: type[IkError] = InputError) -> np.ndarray:
    """Return configurations (m, n), see `at_limits`; raise an error for a value outside the limits.

    what(k): what the message calls configuration k.
    """
    values = at_limits(values, space.lower, space.upper)
    outside = (values < space.lower) | (values > space.upper)
    if outside.any():
        k, i = np.argwhere(outside)[0]
        raise error(f'{what(k)}: {values[k, i]:.9g} is outside the limits {space.lower[i]:.9g} to '
                    f'{space.upper[i]:.9g} of joint {space.joint_names[i]!r}')
    return values


def neutral_values(lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
    """Return (n,) zero where that is inside the limits (n,), else the middle of them.

    Where there is a single limit, and zero is beyond it, that limit.
    """
    inside = (lower <= 0.0) & (upper >= 0.0)
    with np.errstate(invalid='ignore'):
        middle = 0.5 * (lower + upper)
    nearest = np.clip(0.0, lower, upper)
    return np.where(inside, 0.0, np.where(np.isfinite(middle), middle, nearest))
