"""What the solvers of the Jacobian family share: options, settings, and how kernels are made."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ik_node._jit import specialise
from ik_node.options import option
from ik_node.solvers.iterative import IterativeSolver
from ik_node.solvers.jacobian.loop import JacobianSettings, attempt, bare_step, unpack_jacobian
from ik_node.solvers.options import SolverOptions
from ik_node.solvers.search import Kernels, make_kernels


@dataclass(frozen=True)
class JacobianOptions(SolverOptions):
    """What the Jacobian family takes."""

    jacobian: str = option(
        'tip', 'where the Jacobian is taken: at the tip, or at the goal, which pulls the goal to '
        'the arm', kind=str, choices=('tip', 'goal'))
    bias_target: Any = option(
        None, 'the angles a redundant arm is drawn to; none: the middle of the limits, and joints '
        'without limits are left alone', 'rad or m', optional=True, per_joint=True)
    bias_gain: Any = option(
        None, 'how strongly it is drawn there, in the null space of the task; for exponent 2, 1 '
        'and more overshoots. none: not at all, but for dls a little on the way', low=0.0,
        optional=True, per_joint=True)
    bias_exponent: float = option(
        2.0, 'ψ of the penalty Σ gain · |q − target|^ψ', low=1.0, positive=True)


def jacobian_kernels(name: str, method_step: Callable[..., Any]) -> Kernels:
    """Return the kernels of a method, given its step; see `loop`."""
    return make_kernels(name, unpack_jacobian,
                        specialise(attempt, f'attempt_{name}', method_step=method_step),
                        specialise(bare_step, f'bare_step_{name}', method_step=method_step))


class JacobianSolver(IterativeSolver):
    """A solver whose step is made from the Jacobian."""

    Options: ClassVar[type[SolverOptions]] = JacobianOptions
    default_gain: ClassVar[float] = 0.0

    def _parameter(self) -> float | None:
        """Return the method's own number, None where it is to be chosen by the method."""
        return None

    def _method_settings(self) -> JacobianSettings:
        gain, target, parameter = (self.options.bias_gain, self.options.bias_target,
                                   self._parameter())
        gains = np.full(self.chain.n_joints, self.default_gain if gain is None else gain,
                        dtype=float)
        targets = np.zeros(self.chain.n_joints)
        if target is None:
            limited = np.isfinite(self.chain.lower) & np.isfinite(self.chain.upper)
            targets[limited] = 0.5 * (self.chain.lower[limited] + self.chain.upper[limited])
            gains[~limited] = 0.0
        else:
            targets[:] = target
        return JacobianSettings(
            parameter=math.nan if parameter is None else parameter,
            alternate=self.options.jacobian == 'goal',
            bias_target=targets, bias_gain=gains, bias_exponent=self.options.bias_exponent,
            biased=gain is not None and bool(gains.any()))
