"""Options, settings and kernels shared by the solvers of the Jacobian family."""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ik_node.solvers.iterative import IterativeSolver
from ik_node.solvers.jacobian.loop import JacobianMethod
from ik_node.solvers.jacobian.settings import RANK_TOLERANCE, JacobianSettings
from ik_node.solvers.options import SolverOptions
from ik_node.support.options import option


@dataclass(frozen=True)
class JacobianOptions(SolverOptions):
    """Options of the Jacobian family."""

    jacobian: str = option(
        'tip', 'point at which the Jacobian is evaluated: the tip, or the goal (the alternate '
        'Jacobian)', kind=str, choices=('tip', 'goal'))
    bias_target: Any = option(
        None, 'joint values that attract a redundant arm; none: the middle of the limits, without '
        'effect on unlimited joints', 'rad or m', optional=True, per_joint=True)
    bias_gain: Any = option(
        None, 'gain towards bias_target in the null space of the task; with exponent 2 a gain of 1 '
        'or more overshoots. none: 0, except 0.1 for dls, fading out near the goal', low=0.0,
        optional=True, per_joint=True)
    bias_exponent: float = option(
        2.0, 'ψ of the penalty Σ gain · |q − target|^ψ', low=1.0, positive=True)
    manipulability_gain: float = option(
        0.0, 'gain of the manipulability gradient in the null space of the task: factor of the '
        'gradient of √det(J Jᵀ), with lengths in units of the arm length; 5 converges quickly for '
        'arms of seven joints. 0: off', low=0.0)
    rank_tolerance: float = option(
        RANK_TOLERANCE, 'singular values of the Jacobian below this fraction of the largest count '
        'as zero, in pseudoinverses and in the null space', low=0.0, high=0.5)
    path_step: float | None = option(
        None, 'largest position error and orientation error to be reduced in one iteration: keeps '
        'the tip near the straight path, in distance / path_step iterations, which max_iterations '
        'must allow; none: the whole error', 'm and rad', low=0.0, positive=True, optional=True)


class JacobianSolver(IterativeSolver):
    """A solver whose step is computed from the Jacobian."""

    Options: ClassVar[type[SolverOptions]] = JacobianOptions
    _Method: ClassVar[type[JacobianMethod]]
    default_gain: ClassVar[float] = 0.0

    def _make_method(self, **changes: Any) -> JacobianMethod:
        """Return the method of the kernels, with changes of its settings."""
        return self._Method(JacobianSettings(**{**self._method_settings(), **changes}))

    def _method_settings(self) -> dict[str, Any]:
        """Return the settings of the family, see `JacobianSettings`; subclasses add their own."""
        options = self.options
        gain, ascends = options.bias_gain, options.manipulability_gain > 0.0
        if gain is None:  # a default bias must not oppose a requested objective
            gain = 0.0 if ascends else self.default_gain
        gains = np.full(self.chain.n_joints, gain, dtype=float)
        targets = np.zeros(self.chain.n_joints)
        if options.bias_target is None:
            limited = np.isfinite(self.chain.lower) & np.isfinite(self.chain.upper)
            targets[limited] = 0.5 * (self.chain.lower[limited] + self.chain.upper[limited])
            gains[~limited] = 0.0
        else:
            targets[:] = options.bias_target
        return {
            'bias_target': targets, 'bias_gain': gains, 'bias_exponent': options.bias_exponent,
            'biased': ascends or (options.bias_gain is not None and bool(gains.any())),
            'alternate': options.jacobian == 'goal', 'rank_tolerance': options.rank_tolerance,
            'manipulability_gain': options.manipulability_gain,
            'path_step': math.inf if options.path_step is None else options.path_step}
