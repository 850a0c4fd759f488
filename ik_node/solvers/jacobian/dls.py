"""Damped least squares [Parent 5.24]."""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from ik_node.solvers.codes import CHAN, CONSTANT, NAKAMURA, SELECTIVE, SUGIHARA
from ik_node.solvers.jacobian.dls_step import DampedLeastSquares
from ik_node.solvers.jacobian.family import JacobianOptions, JacobianSolver
from ik_node.solvers.jacobian.loop import JacobianMethod
from ik_node.solvers.options import SolverOptions
from ik_node.support.options import option

_RULES = {'sugihara': SUGIHARA, 'chan': CHAN, 'nakamura': NAKAMURA, 'selective': SELECTIVE}


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
        damping = self.options.damping
        return {**super()._method_settings(),
                'parameter': math.nan if damping is None else damping,
                'damping_rule': self._damping_rule(),
                'error_share': self.options.error_share, 'max_angle': self.options.max_angle}

    def _damping_rule(self) -> int:
        return CONSTANT if self.options.damping is not None else _RULES[self.options.damping_rule]

    def _patient_method(self) -> JacobianMethod:
        """Return the method of the base class, with a λ that vanishes at the goal.

        Near a singular configuration Sugihara's floor leaves errors of about its own size.
        """
        rule = self._damping_rule()
        return self._make_method(damping_rule=CHAN if rule == SUGIHARA else rule)
