"""Joints: the arcs of the hierarchy [Parent fig. 5.6]."""

import math
from dataclasses import dataclass, field

import numpy as np

from ik_node.kinematics.forward import BALL_X, BALL_Y, BALL_Z, SLIDE, TURN

FIXED = 'fixed'
REVOLUTE = 'revolute'
CONTINUOUS = 'continuous'
PRISMATIC = 'prismatic'
UNLIMITED = 1e9  # rad or m: a limit that is none, for formats that have no word for it
ROTATION_VECTOR = 'rotation_vector'
JOINT_TYPES = (FIXED, REVOLUTE, CONTINUOUS, PRISMATIC, ROTATION_VECTOR)


@dataclass(frozen=True)
class Mimic:
    """A joint that follows another: value = multiplier · value of joint + offset."""

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0


def _no_axis() -> np.ndarray:
    return np.array([1.0, 0.0, 0.0])


@dataclass(frozen=True, eq=False)
class Joint:
    """An arc from a parent link to a child link: T_parent_child(q) = placement · A(q)."""

    name: str
    type: str
    """One of JOINT_TYPES. Rotation vectors come in threes, see `model.complex_joints`."""
    parent: str
    child: str
    placement: np.ndarray = field(default_factory=lambda: np.eye(4))
    """(4, 4) T_parent_child at q = 0; m."""
    axis: np.ndarray = field(default_factory=_no_axis)
    """(3,) unit vector in the joint's frame; nothing to a fixed joint."""
    lower: float = -math.inf
    """rad or m; −inf where there is none."""
    upper: float = math.inf
    """rad or m; +inf where there is none."""
    velocity: float = math.inf
    """Largest speed, rad/s or m/s; +inf where the source names none."""
    effort: float = math.inf
    """Largest effort, N m or N; +inf where the source names none."""
    mimic: Mimic | None = None

    @property
    def moves(self) -> bool:
        """Whether the joint has a value at all; a mimic has one, though not its own."""
        return self.type != FIXED

    @property
    def prismatic(self) -> bool:
        """Whether the joint slides, so that its value is in metres."""
        return self.type == PRISMATIC


def arc_kind(joint: Joint) -> int:
    """Return what the kernels call the joint's articulation; nothing to a fixed joint."""
    if joint.type == ROTATION_VECTOR:
        return (BALL_X, BALL_Y, BALL_Z)[int(np.argmax(joint.axis))]
    return SLIDE if joint.prismatic else TURN
