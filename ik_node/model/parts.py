"""The result of a model reader: links, joints and further parts as plain lists."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from ik_node.model.complex_joints import ComplexJoint
from ik_node.model.geometry import Collision, Visual
from ik_node.model.inertial import Inertial
from ik_node.model.joints import Joint
from ik_node.support.immutable import Immutable


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
