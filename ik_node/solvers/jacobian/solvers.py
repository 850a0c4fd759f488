"""The solvers of the Jacobian family, and their options."""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from ik_node.solvers.arm.iterative import IterativeSolver
from ik_node.solvers.codes import DAMPING_RULES, FACTORIZATIONS
from ik_node.solvers.jacobian.steps import DampedLeastSquares, Pseudoinverse, Transpose
from ik_node.solvers.options import SolverOptions
from ik_node.support.options import option

# Singular values below this fraction of the largest count as zero. It is above the
# value (4e-6) of an exact zero in files with 1.5708 for a right angle.
RANK_TOLERANCE = 1e-5


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
        'or more overshoots. none: 0, except 0.1 for dls, where no joint then moves farther than '
        'the goal asks of the joint that moves farthest', low=0.0,
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


@dataclass(frozen=True)
class DlsOptions(JacobianOptions):
    """Options of damped least squares."""

    damping: float | None = option(
        None, 'damping factor λ (squared in the equation); none: chosen by damping_rule',
        low=0.0, optional=True)
    damping_rule: str = option(
        'sugihara', 'rule that adapts λ: to the error, down to a floor (sugihara) or to zero '
        '(chan); to the distance from singular configurations (nakamura); or a bound for each '
        'singular vector (selective, by Buss & Kim)', kind=str, choices=tuple(DAMPING_RULES))
    # Tried over 0.01 to 1 on the arms of the benchmark: flat near this value.
    error_share: float = option(
        0.1, 'λ² as a fraction of the error energy, for sugihara (1 in the paper) and chan',
        low=0.0)
    max_angle: float = option(
        math.pi / 4.0, 'γ_max of selective: the largest change of a joint in one iteration',
        'rad or m', low=0.0, positive=True)


@dataclass(frozen=True)
class PseudoinverseOptions(JacobianOptions):
    """Options of the pseudoinverse."""

    factorization: str = option(
        'auto', 'factorization for J⁺: truncated SVD (svd); LU of J Jᵀ as in the text, SVD only '
        'where that is singular to rounding (lu); Cholesky of J Jᵀ, SVD where that is '
        'ill-conditioned (auto)', kind=str,
        choices=tuple(FACTORIZATIONS))


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


class DlsSolver(IterativeSolver):
    """Δq = Jᵀ (J Jᵀ + λ² I)⁻¹ e: bounded steps near singular configurations; the default."""

    name = 'dls'
    Options: ClassVar[type[SolverOptions]] = DlsOptions
    # Restarts converge in a few iterations, so that an attempt that does not is given up sooner.
    patience = 3

    def _make_method(self) -> DampedLeastSquares:
        return DampedLeastSquares(self.options, self.chain)


class PseudoinverseSolver(IterativeSolver):
    """Δq = J⁺ e: the shortest step that removes the error; unbounded near singularities."""

    name = 'pseudoinverse'
    Options: ClassVar[type[SolverOptions]] = PseudoinverseOptions

    def _make_method(self) -> Pseudoinverse:
        return Pseudoinverse(self.options, self.chain)


class TransposeSolver(IterativeSolver):
    """Δq = α Jᵀ e: no inverse, and many more iterations."""

    name = 'transpose'
    Options: ClassVar[type[SolverOptions]] = TransposeOptions
    patience = 100
    progress = 0.9

    def _make_method(self) -> Transpose:
        return Transpose(self.options, self.chain)
