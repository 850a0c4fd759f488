"""Solvers of the Jacobian family: their options, and the settings of their kernels."""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ik_node.solvers import codes
from ik_node.solvers.iterative import IterativeSolver
from ik_node.solvers.jacobian.loop import JacobianMethod
from ik_node.solvers.jacobian.steps import DampedLeastSquares, Pseudoinverse, Transpose
from ik_node.solvers.options import SolverOptions
from ik_node.solvers.settings import RANK_TOLERANCE, JacobianSettings
from ik_node.support.options import option

_RULES = {'sugihara': codes.SUGIHARA, 'chan': codes.CHAN, 'nakamura': codes.NAKAMURA,
          'selective': codes.SELECTIVE}
_FACTORIZATIONS = {'auto': codes.AUTO, 'lu': codes.LU, 'svd': codes.SVD}


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


@dataclass(frozen=True)
class DlsOptions(JacobianOptions):
    """Options of damped least squares."""

    damping: float | None = option(
        None, 'damping factor λ (squared in the equation); none: chosen by damping_rule',
        low=0.0, optional=True)
    damping_rule: str = option(
        'sugihara', 'rule that adapts λ: to the error, down to a floor (sugihara) or to zero '
        '(chan); to the distance from singular configurations (nakamura); or a bound for each '
        'singular vector (selective, by Buss & Kim)', kind=str, choices=tuple(_RULES))
    # Tried over 0.01 to 1 on the arms of the benchmark: flat near this value.
    error_share: float = option(
        0.1, 'λ² as a fraction of the error energy, for sugihara (1 in the paper) and chan',
        low=0.0)
    max_angle: float = option(
        math.pi / 4.0, 'γ_max of selective: the largest change of a joint in one iteration',
        'rad or m', low=0.0, positive=True)


class DlsSolver(JacobianSolver):
    """Δq = Jᵀ (J Jᵀ + λ² I)⁻¹ e: bounded steps near singular configurations; the default."""

    name = 'dls'
    Options: ClassVar[type[SolverOptions]] = DlsOptions
    _Method = DampedLeastSquares
    default_gain = 0.1
    # Restarts converge in a few iterations, so that an attempt that does not is given up sooner.
    patience = 3

    def _method_settings(self) -> dict[str, Any]:
        options, damping = self.options, self.options.damping
        own = ({'damping_rule': _RULES[options.damping_rule]} if damping is None
               else {'damping_rule': codes.CONSTANT, 'parameter': damping})
        return {**super()._method_settings(), **own, 'error_share': options.error_share,
                'max_angle': options.max_angle}

    def _patient_method(self) -> JacobianMethod:
        """Return the method of the base class, with a λ that vanishes at the goal.

        Near a singular configuration Sugihara's floor leaves errors of about its own size.
        """
        rule = self._method_settings()['damping_rule']
        return self._make_method(damping_rule=codes.CHAN if rule == codes.SUGIHARA else rule)


@dataclass(frozen=True)
class PseudoinverseOptions(JacobianOptions):
    """Options of the pseudoinverse."""

    factorization: str = option(
        'auto', 'factorization for J⁺: truncated SVD (svd); LU of J Jᵀ as in the text, SVD only '
        'where that is singular to rounding (lu); Cholesky of J Jᵀ, SVD where that is '
        'ill-conditioned (auto)', kind=str,
        choices=tuple(_FACTORIZATIONS))


class PseudoinverseSolver(JacobianSolver):
    """Δq = J⁺ e: the shortest step that removes the error; unbounded near singularities."""

    name = 'pseudoinverse'
    Options: ClassVar[type[SolverOptions]] = PseudoinverseOptions
    _Method = Pseudoinverse

    def _method_settings(self) -> dict[str, Any]:
        return {**super()._method_settings(),
                'factorization': _FACTORIZATIONS[self.options.factorization]}


@dataclass(frozen=True)
class TransposeOptions(JacobianOptions):
    """Options of the transpose."""

    max_iterations: int = option(
        5000, 'iterations of one attempt', kind=int, low=1, high=10**9)
    alpha: float | None = option(
        None, 'step length along Jᵀ e, stable only below 2/σ_max²; none: Buss\'s, optimal along '
        'that direction', low=0.0, positive=True, optional=True)
    alpha_scale: float = option(
        1.0, 'factor of Buss\'s step; 2 and more diverges', low=0.0, positive=True)


class TransposeSolver(JacobianSolver):
    """Δq = α Jᵀ e: no inverse, and many more iterations."""

    name = 'transpose'
    Options: ClassVar[type[SolverOptions]] = TransposeOptions
    _Method = Transpose
    patience = 100
    progress = 0.9

    def _method_settings(self) -> dict[str, Any]:
        alpha = self.options.alpha
        return {**super()._method_settings(), 'alpha_scale': self.options.alpha_scale,
                'parameter': math.nan if alpha is None else alpha}
