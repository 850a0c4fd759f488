"""Cyclic coordinate descent as a solver."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ik_node.exceptions import UnsupportedError
from ik_node.kinematics.forward import BALL_X
from ik_node.model.chain import Chain
from ik_node.options import option
from ik_node.solvers.ccd.sweep import (
    INWARD,
    OUTWARD,
    RANKED,
    CcdSettings,
    ccd_attempt,
    ccd_bare_step,
    unpack_ccd,
)
from ik_node.solvers.iterative import IterativeSolver
from ik_node.solvers.options import SolverOptions
from ik_node.solvers.search import make_kernels

_ORDERS = {'inward': INWARD, 'outward': OUTWARD, 'ranked': RANKED}


@dataclass(frozen=True)
class CcdOptions(SolverOptions):
    """What cyclic coordinate descent takes."""

    max_iterations: int = option(5000, 'sweeps of one attempt', kind=int, low=1, high=10**9)
    max_step: float = option(
        np.pi, 'largest change of one joint in one sweep', 'rad or m', low=0.0, positive=True)
    order: str = option(
        'inward', 'from the tip to the base, from the base to the tip, or always the joint that '
        'helps most', kind=str, choices=tuple(_ORDERS))
    position_weight: float = option(
        1.0, 'k of w_p = k (1 + ρ)/W²: how much the position counts', low=0.0, positive=True)
    orientation_weight: float = option(
        1.0, 'w_o: how much the orientation counts', low=0.0, positive=True)


class CcdSolver(IterativeSolver):
    """One joint after the other is set to its optimum in closed form [Welman 1993]."""

    name = 'ccd'
    Options: ClassVar[type[SolverOptions]] = CcdOptions
    kernels = make_kernels('ccd', unpack_ccd, ccd_attempt, ccd_bare_step)
    patience = 100
    progress = 0.9

    def __init__(self, chain: Chain, **options: Any) -> None:
        """Prepare to solve for a chain; see `Solver`. Raises UnsupportedError for some balls."""
        if (chain.arrays.kind >= BALL_X).any():
            raise UnsupportedError('ccd sets one value after the other, and a ball joint by '
                                   'exponential map has three that cannot be parted; give it an '
                                   'Euler order, or take another solver')
        super().__init__(chain, **options)

    def _method_settings(self) -> CcdSettings:
        return CcdSettings(_ORDERS[self.options.order], self.options.position_weight,
                           self.options.orientation_weight)
