"""Mass, centre of mass and inertia of a link."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ik_node.kinematics.structures import InertiaArrays
from ik_node.support.arguments import floats, number, vector
from ik_node.support.exceptions import InputError
from ik_node.support.immutable import Immutable, frozen_copy

_TOLERANCE = 1e-6  # of the largest principal moment: rounding to a few digits is no error
_NOTHING = 1e-15   # kg m²: rounding errors where an inertia is zero


@dataclass(frozen=True, eq=False)
class Inertial(Immutable):
    """Mass, centre of mass and inertia of a link. Immutable.

    Any finite numbers are accepted, see `problems`. Raises InputError for others.
    """

    mass: float
    """kg."""
    center: np.ndarray = field(default_factory=lambda: np.zeros(3))
    """(3,) centre of mass, link frame, m."""
    inertia: np.ndarray = field(default_factory=lambda: np.zeros((3, 3)))
    """(3, 3) about the centre of mass, link axes, kg m²; symmetric. Zero: a point mass."""

    def __post_init__(self) -> None:
        inertia = floats(self.inertia, 'the inertia')
        if inertia.shape != (3, 3) or not np.array_equal(inertia, inertia.T):
            raise InputError('the inertia must be a symmetric matrix (3, 3), not '
                             f'{inertia.tolist()}')
        center = vector(self.center, 3, 'the centre of mass')
        for name, value in (('mass', number(self.mass, 'the mass')),
                            ('center', frozen_copy(center)), ('inertia', frozen_copy(inertia))):
            object.__setattr__(self, name, value)

    def problems(self) -> list[str]:
        """Return the reasons why no rigid body has this mass and inertia, if any.

        The principal moments of a rigid body are not negative, and none of them is greater than
        the sum of the others [Traversaro, Brossette, Escande & Nori, Identification of fully
        physical consistent inertial parameters, IROS 2016].
        """
        found = []
        low, middle, high = np.linalg.eigvalsh(self.inertia)
        slack = _TOLERANCE * max(abs(low), abs(high)) + _NOTHING
        low, middle = (0.0 if abs(moment) < _NOTHING else moment for moment in (low, middle))
        moments = f'{low:.4g}, {middle:.4g}, {high:.4g} kg m²'
        if self.mass < 0.0:
            found.append(f'the mass {self.mass:g} kg is negative')
        if self.mass == 0.0 and self.inertia.any():
            found.append('the mass is 0, the inertia is not')
        if low < -slack:
            found.append(f'the inertia is not positive semidefinite: principal moments {moments}')
        elif low + middle < high - slack:
            found.append('one principal moment of inertia is greater than the sum of the others: '
                         f'{moments}')
        return found


def inertia_arrays(links: Sequence[str], inertials: Mapping[str, Inertial],
                   added: int = 0) -> InertiaArrays:
    """Return inertials {link: …} for the kernels; `added` frames of the root's joints have none."""
    count = added + len(links)
    mass, center, inertia = np.zeros(count), np.zeros((count, 3)), np.zeros((count, 3, 3))
    for k, link in enumerate(links, start=added):
        if link in inertials:
            inertial = inertials[link]
            mass[k], center[k], inertia[k] = inertial.mass, inertial.center, inertial.inertia
    return InertiaArrays(frozen_copy(mass), frozen_copy(center), frozen_copy(inertia))
