"""Options of the solver `example`, among them an array, which only Python can give."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np

from ik_node.solvers.jacobian.options import DlsOptions
from ik_node.support.arguments import floats
from ik_node.support.exceptions import OptionError, shown
from ik_node.support.options import option

MODELS = ('rbf', 'nearest', 'gaussian')


@dataclass(frozen=True)
class ExampleOptions(DlsOptions):
    """Options of `example`."""

    examples: Any = option(
        None, 'file of joint values: a CSV file with joint names in its first line, a library of '
        'poses in YAML, or an Acclaim motion of the skeleton; in Python an array (k, n), too; '
        'required', kind=str, optional=True)
    model: str = option(
        'rbf', 'how joint values follow from the examples: radial basis functions on a linear '
        'part, the nearest example, or the most likely configuration of a Gaussian mixture',
        kind=str, choices=MODELS)
    neighbours: int = option(
        64, 'examples next to the goal that rbf interpolates, and among which nearest chooses the '
        'one nearest to the initial guess if they are as near', kind=int, low=1, high=1000)
    smoothing: float = option(
        1e-6, 'smoothing of rbf: 0 passes through every example, more averages noisy ones',
        low=0.0)
    pseudo_examples: int = option(
        0, 'configurations halfway between examples that rbf adds where it misses their poses most',
        kind=int, low=0, high=1000)
    components: int | None = option(
        None, 'principal components of the joint values that gaussian keeps; none: as many as '
        'make up 99 % of the variance', kind=int, low=1, high=100, optional=True)
    clusters: int = option(
        4, 'normal distributions in the mixture of gaussian', kind=int, low=1, high=50)
    bias_target: Any = option(
        None, 'joint values that attract a redundant arm; none: those that follow from the '
        'examples', 'rad or m', optional=True, per_joint=True)
    bias_gain: Any = option(
        0.25, 'gain towards bias_target in the null space of the task', low=0.0, per_joint=True)

    @classmethod
    def read(cls, values: Mapping[str, Any], n_joints: int | None = None,
             owner: str = '') -> Any:
        """Check values, an array of examples among them, and return the dataclass."""
        plain = dict(values)
        examples = plain.get('examples')
        if examples is None or isinstance(examples, str):
            return super().read(plain, n_joints, owner)
        if isinstance(examples, PathLike):
            plain['examples'] = str(examples)
            return super().read(plain, n_joints, owner)
        name = f'{owner}.examples' if owner else 'examples'
        if not isinstance(examples, (list, tuple, np.ndarray)):
            raise OptionError(f'{name} must be a file or an array (k, n) of joint values, not '
                              f'{shown(examples)}')
        del plain['examples']
        return dataclasses.replace(super().read(plain, n_joints, owner),
                                   examples=_array(name, examples, n_joints))


def _array(name: str, values: Any, n_joints: int | None) -> np.ndarray:
    """Return examples as a read-only array (k, n). Raises IkError for anything else."""
    array = floats(values, name)
    n = 'n' if n_joints is None else n_joints
    if array.ndim != 2 or len(array) == 0 or array.shape[1] != (
            array.shape[1] if n_joints is None else n_joints):
        raise OptionError(f'{name} must have the shape (k, {n}), k at least 1, not {array.shape}')
    array.flags.writeable = False
    return array
