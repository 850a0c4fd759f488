"""Joints of several degrees of freedom, as sequences of joints with one each [Parent 5.1].

The rotation of a ball or floating joint has one of these parameterisations:

- Euler angles, such as 'zyx' (the default) or 'zxz': three revolute joints about those axes, each
  in the frame rotated by the previous ones. Where the second aligns the first and the third axis
  (at ±π/2, or at 0 and π where the first and the last letter are the same), one direction of
  rotation is lost: gimbal lock. A path through there is not followed.
- 'exponential', the exponential map: the three values are a rotation vector w, R = exp(w), rad. It
  has no gimbal lock; its singularity at |w| = 2π is never met, since 2π − |w| the other way round
  is the same rotation and solvers start from the shorter one [Grassia, Practical
  parameterization of rotations using the exponential map, J. Graphics Tools 3 (1998) 29].
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ik_node.model.joints import (
    CONTINUOUS,
    FIXED,
    PRISMATIC,
    REVOLUTE,
    ROTATION_VECTOR,
    Joint,
    check_text,
    model_array,
)
from ik_node.support.exceptions import ModelError, names, shown
from ik_node.support.immutable import Immutable, read_only

PLANAR, FLOATING, BALL = 'planar', 'floating', 'ball'
COMPLEX_TYPES = (PLANAR, FLOATING, BALL)
EXPONENTIAL = 'exponential'
_EULER_ORDERS = tuple(a + b + c for a in 'xyz' for b in 'xyz' for c in 'xyz'
                      if a != b and b != c)
ROTATIONS = (*_EULER_ORDERS, EXPONENTIAL)
_Coordinate = tuple[str, str, Sequence[float] | np.ndarray]
_AXES = {'x': (1.0, 0.0, 0.0), 'y': (0.0, 1.0, 0.0), 'z': (0.0, 0.0, 1.0)}


@dataclass(frozen=True, eq=False)
class ComplexJoint(Immutable):
    """A planar, floating or ball joint; `KinematicTree` takes it for its parts.

    The parts of a joint called "hip" are, from the parent out:

    - planar: hip_x, hip_y, along the plane, and hip_theta, about its normal;
    - floating: hip_x, hip_y, hip_z, and the rotation's three;
    - ball: the rotation's three: hip_rz, hip_ry, hip_rx for 'zyx', hip_rz1, hip_rx, hip_rz2 for
      'zxz', hip_wx, hip_wy, hip_wz for 'exponential'.

    Raises ModelError for an unknown type or rotation, and for limits that are none.
    """

    name: str
    type: str  # one of COMPLEX_TYPES
    parent: str
    child: str
    placement: np.ndarray = field(default_factory=lambda: np.eye(4))
    """(4, 4) T_parent_child where every value is 0; m."""
    normal: np.ndarray = field(default_factory=lambda: np.array([0.0, 0.0, 1.0]))
    """(3,) unit normal of a planar joint's plane, joint frame."""
    rotation: str = 'zyx'  # an Euler order or 'exponential'
    lower: Sequence[float] | None = None  # one limit for each part, m or rad; None for none at all
    upper: Sequence[float] | None = None

    def __post_init__(self) -> None:
        for role in ('name', 'parent', 'child'):
            check_text(getattr(self, role), f'the {role} of a joint')
        if not isinstance(self.type, str) or self.type not in COMPLEX_TYPES:
            raise ModelError(f'joint {self.name!r} is of type {shown(self.type)}; the types of '
                             f'several degrees of freedom are {names(COMPLEX_TYPES)}')
        check_rotation(self.rotation, f'joint {self.name!r}: ')
        for name, shape in (('placement', (4, 4)), ('normal', (3,))):
            object.__setattr__(self, name, read_only(model_array(
                getattr(self, name), f'joint {self.name!r}: its {name}', shape)))
        for name in ('lower', 'upper'):
            limits = getattr(self, name)
            if limits is None:
                continue
            values = model_array(limits, f'joint {self.name!r}: its {name} limits', None,
                                 finite=False)
            if values.shape != (self.freedom,):
                raise ModelError(f'joint {self.name!r} is {self.type} and needs {self.freedom} '
                                 f'limits, not {values.size}')
            object.__setattr__(self, name, tuple(values.tolist()))
        if not np.all(np.less_equal(*self._limits())):
            raise ModelError(f'joint {self.name!r}: its limits {self.lower} to {self.upper} are no '
                             'ranges; lower must not be greater than upper')

    @property
    def freedom(self) -> int:
        """How many degrees of freedom it has."""
        return 6 if self.type == FLOATING else 3

    def parts(self) -> tuple[Joint, ...]:
        """Return the joints of one degree of freedom, from the parent to the child.

        The first carries the placement; the links between them are named after the joints.
        """
        joints: list[Joint] = []
        parent, placement = self.parent, self.placement
        for (suffix, kind, axis), lower, upper in zip(self._coordinates(), *self._limits()):
            name = f'{self.name}_{suffix}'
            child = self.child if len(joints) + 1 == self.freedom else f'{name}_link'
            limited = math.isfinite(lower) or math.isfinite(upper)
            joints.append(Joint(name, REVOLUTE if kind == CONTINUOUS and limited else kind, parent,
                                child, placement, np.array(axis), float(lower), float(upper)))
            parent, placement = child, np.eye(4)
        return tuple(joints)

    def held(self) -> Joint:
        """Return a fixed joint in its place, at zero."""
        return Joint(self.name, FIXED, self.parent, self.child, self.placement, lower=0.0,
                     upper=0.0)

    def _limits(self) -> tuple[Sequence[float], Sequence[float]]:
        return (self.lower if self.lower is not None else (-math.inf,) * self.freedom,
                self.upper if self.upper is not None else (math.inf,) * self.freedom)

    def _coordinates(self) -> list[_Coordinate]:
        if self.type == PLANAR:
            u, v = _plane(self.normal)
            return [('x', PRISMATIC, u), ('y', PRISMATIC, v), ('theta', CONTINUOUS, self.normal)]
        order = self.rotation
        rotations: list[_Coordinate] = [
            (f'w{letter}', ROTATION_VECTOR, _AXES[letter]) for letter in 'xyz'
        ] if order == EXPONENTIAL else [
            (f'r{letter}' + (str(1 + k // 2) if order.count(letter) > 1 else ''), CONTINUOUS,
             _AXES[letter]) for k, letter in enumerate(order)]
        return [*((letter, PRISMATIC, _AXES[letter]) for letter in 'xyz'
                  if self.type == FLOATING), *rotations]


def check_rotation(rotation: object, where: str = '') -> None:
    """Raise ModelError unless it is an Euler order or 'exponential'."""
    if not isinstance(rotation, str) or rotation not in ROTATIONS:
        raise ModelError(f'{where}the rotation must be one of {names(ROTATIONS)}, not '
                         f'{shown(rotation)}')


def _plane(normal: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the axes of a plane, (3,): x and y for the normal z, y and z for x, z and x for y.

    For others y is the nearest direction at right angles to the normal.
    """
    k = int(np.argmax(np.abs(normal)))
    v = np.roll(np.eye(3)[k], 2)
    v = v - (v @ normal) * normal
    v /= math.sqrt(v @ v)
    return np.cross(v, normal), v
