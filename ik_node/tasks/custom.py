"""A task written in Python: two functions of q."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ik_node.model.body import Body, BodyFrames
from ik_node.support.arguments import sequence, shaped
from ik_node.support.exceptions import InputError, names, shown
from ik_node.tasks.base import RowKinds, Task, rows

_UNITS = ('m', 'rad')


class CustomTask(Task):
    """A residual r(q) (m,) that should be 0, or ≥ 0 where one-sided, and its Jacobian ∂r/∂q (m, n).

    - `residual_of`, `jacobian_of`: functions of q (n,), rad or m, which must not change it.
    - `units`: "m" or "rad" for each row (m,); they say which tolerance a row has to meet.
    - `one_sided`: for all rows, or for each (m,).
    """

    def __init__(self, residual: Callable[[np.ndarray], Any],
                 jacobian: Callable[[np.ndarray], Any], units: str | Sequence[str] = ('m',),
                 one_sided: bool | Sequence[bool] = False, *, weight: float = 1.0,
                 priority: int = 1, name: str | None = None) -> None:
        """Make the task. units: how many there are is how many rows there are; one may be a text.

        Raises InputError for malformed arguments.
        """
        super().__init__((), weight, priority, name)
        for what, function in (('residual', residual), ('jacobian', jacobian)):
            if not callable(function):
                raise InputError(f'{what} of the task {self.name!r} must be a function of q, not '
                                 f'{shown(function)}')
        self.residual_of, self.jacobian_of = residual, jacobian
        self.units = (units,) if isinstance(units, str) else tuple(
            sequence(units, f'units of the task {self.name!r}', InputError))
        if not self.units or not all(isinstance(unit, str) and unit in _UNITS
                                     for unit in self.units):
            raise InputError(f'units of the task {self.name!r} must be one of {names(_UNITS)} for '
                             f'each row, not {shown(units)}')
        m, what = len(self.units), f'one_sided of the task {self.name!r}'
        sides = [one_sided] * m if isinstance(one_sided, (bool, np.bool_)) else sequence(
            one_sided, what, InputError)
        if len(sides) != m or not all(isinstance(side, (bool, np.bool_)) for side in sides):
            raise InputError(f'{what} must be True or False, or one of them for each of {m} rows, '
                             f'not {shown(one_sided)}')
        self.one_sided = np.array(sides, dtype=bool)

    def rows(self, body: Body) -> RowKinds:
        return rows([unit == 'm' for unit in self.units], self.one_sided)

    def evaluate(self, frames: BodyFrames) -> tuple[np.ndarray, np.ndarray]:
        """Return the residual (m,) and its Jacobian (m, n). Raises InputError for wrong ones."""
        m, n, of = len(self.units), frames.body.n_joints, f'of the task {self.name!r}'
        return (shaped(self.residual_of(frames.q), (m,), f'the residual {of}'),
                shaped(self.jacobian_of(frames.q), (m, n), f'the Jacobian {of}'))
