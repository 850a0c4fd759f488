"""The parts of a model: inertials, motion channels, and the result of a reader as plain lists."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np

from ik_node.kinematics.structures import TreeArrays
from ik_node.model.geometry import Collision, Visual
from ik_node.model.joints import ComplexJoint, Joint
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

    mass: float  # kg
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
        vars(self).update(mass=number(self.mass, 'the mass'), center=frozen_copy(center),
                          inertia=frozen_copy(inertia))

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


def with_inertials(arrays: TreeArrays, links: Sequence[str],
                   inertials: Mapping[str, Inertial]) -> TreeArrays:
    """Return a tree with inertials {link: …} of its last links; those before them have none."""
    count = len(arrays.parent)
    mass, center, inertia = np.zeros(count), np.zeros((count, 3)), np.zeros((count, 3, 3))
    for k, link in enumerate(links, start=count - len(links)):
        if link in inertials:
            inertial = inertials[link]
            mass[k], center[k], inertia[k] = inertial.mass, inertial.center, inertial.inertia
    return arrays._replace(mass=frozen_copy(mass), center=frozen_copy(center),
                           inertia=frozen_copy(inertia))


@dataclass(frozen=True, eq=False)
class MotionChannels(Immutable):
    """How the values of a motion file, AMC, are assigned to the joints of a model. Immutable."""

    joints: Mapping[str, tuple[str, ...]]
    """Name of a bone, or root → names of its joints, in the order of the values in the file."""
    length_unit: float  # metres per unit of length of the file
    angle_unit: float  # radians per unit of angle, for a motion file that does not give its own

    def __post_init__(self) -> None:
        object.__setattr__(self, 'joints', MappingProxyType(dict(self.joints)))


@dataclass(frozen=True)
class ModelParts:
    """A robot as it was read. `KinematicTree.from_parts` checks that it is a tree."""

    links: Sequence[str]
    joints: Sequence[Joint | ComplexJoint]
    name: str = 'robot'
    warnings: Sequence[str] = ()
    """Usable but questionable properties of the source; one sentence each."""
    text: str | None = None  # the URDF text that all of this was read from; None for other sources
    visuals: Mapping[str, Sequence[Visual]] = field(default_factory=dict)
    inertials: Mapping[str, Inertial] = field(default_factory=dict)
    collisions: Mapping[str, Sequence[Collision]] = field(default_factory=dict)
    motion_channels: MotionChannels | None = None
    """Of sources that motion files refer to; None for others."""
    source_path: str | None = None
    """The file that was read, near which those that it names are; None for text and for rows."""
