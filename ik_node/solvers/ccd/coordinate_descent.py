"""Cyclic coordinate descent as a solver."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ik_node.kinematics.kinds import SPHERICAL_X
from ik_node.model.chain import Chain
from ik_node.solvers.arm.iterative import IterativeSolver
from ik_node.solvers.ccd.joint_optimum import CcdSettings
from ik_node.solvers.ccd.sweep import CyclicCoordinateDescent
from ik_node.solvers.codes import ORDERS
from ik_node.solvers.options import SolverOptions
from ik_node.support.exceptions import UnsupportedError
from ik_node.support.options import option


@dataclass(frozen=True)
class CcdOptions(SolverOptions):
    """Options of cyclic coordinate descent."""

    max_iterations: int = option(5000, 'sweeps of one attempt', kind=int, low=1, high=10**9)
    max_step: float = option(
        np.pi, 'largest change of one joint in one sweep; for a prismatic joint a multiple of the '
        'arm length or, if greater, of its range', 'rad', low=0.0, positive=True)
    order: str = option(
        'inward', 'order of the joints in a sweep: from the tip to the base, from the base to the '
        'tip, or always the joint with the greatest gain', kind=str, choices=tuple(ORDERS))
    position_weight: float = option(
        1.0, 'weight of the position: k of w_p = k (1 + ρ)/W²', low=0.0, positive=True)
    orientation_weight: float = option(
        1.0, 'weight w_o of the orientation', low=0.0, positive=True)


class CcdSolver(IterativeSolver):
    """Sets one joint after the other to its optimum in closed form [Welman 1993]."""

    name = 'ccd'
    Options: ClassVar[type[SolverOptions]] = CcdOptions
    patience = 20
    progress = 0.9

    def __init__(self, chain: Chain, **options: Any) -> None:
        """Prepare to solve for a chain; see `Solver`.

        Raises UnsupportedError for spherical joints by exponential map.
        """
        if (chain.arrays.kind >= SPHERICAL_X).any():
            raise UnsupportedError('ccd sets one value after the other, but a spherical joint by '
                                   'exponential map has three coupled values; give the joint an '
                                   'Euler order, or use another solver')
        super().__init__(chain, **options)

    def _make_method(self) -> CyclicCoordinateDescent:
        return CyclicCoordinateDescent(CcdSettings(self.options))
