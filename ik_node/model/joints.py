"""Joints: the edges of the tree of links [Parent fig. 5.6].

Those of several degrees of freedom are sequences of joints with one each [Parent 5.1].

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

from ik_node.kinematics import kinds
from ik_node.support.arguments import floats, instance, numbers
from ik_node.support.exceptions import InputError, ModelError, names, shown
from ik_node.support.immutable import Immutable, read_only

FIXED = 'fixed'
REVOLUTE = 'revolute'
CONTINUOUS = 'continuous'
PRISMATIC = 'prismatic'
UNLIMITED = 1e9  # rad or m: a limit that is none, for formats that have no word for it
ROTATION_VECTOR = 'rotation_vector'
RATES = ('acceleration', 'deceleration', 'jerk')  # limits that few sources have
_AXIS_OFF = 1e-9  # of its length
JOINT_TYPES = (FIXED, REVOLUTE, CONTINUOUS, PRISMATIC, ROTATION_VECTOR)
PLANAR, FLOATING, BALL = 'planar', 'floating', 'ball'
COMPLEX_TYPES = (PLANAR, FLOATING, BALL)
EXPONENTIAL = 'exponential'
_EULER_ORDERS = tuple(a + b + c for a in 'xyz' for b in 'xyz' for c in 'xyz'
                      if a != b and b != c)
ROTATIONS = (*_EULER_ORDERS, EXPONENTIAL)
_Coordinate = tuple[str, str, Sequence[float] | np.ndarray]
_AXES = {'x': (1.0, 0.0, 0.0), 'y': (0.0, 1.0, 0.0), 'z': (0.0, 0.0, 1.0)}


@dataclass(frozen=True)
class Mimic:
    """A joint that follows another: value = multiplier · value of joint + offset.

    Raises ModelError for a name that is no text, and for values that are no finite numbers.
    """

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0

    def __post_init__(self) -> None:
        instance(self.joint, str, 'the joint of a mimic must be a name', ModelError)
        for field_name in ('multiplier', 'offset'):
            value = model_array(getattr(self, field_name),
                                f'the {field_name} of a mimic of {self.joint!r}', ())
            object.__setattr__(self, field_name, float(value))


@dataclass(frozen=True, eq=False)
class Joint(Immutable):
    """A joint from a parent link to a child link: T_parent_child(q) = placement · A(q). Immutable.

    Raises ModelError for names that are no text, an unknown type, arrays of wrong shape, an axis
    that is no unit vector, and limits that leave no value.
    """

    name: str
    type: str  # one of JOINT_TYPES. Rotation vectors come in threes, see `ComplexJoint`.
    parent: str
    child: str
    placement: np.ndarray = field(default_factory=lambda: np.eye(4))
    """(4, 4) T_parent_child at q = 0; m."""
    axis: np.ndarray = field(default_factory=lambda: np.array([1.0, 0.0, 0.0]))
    """(3,) unit vector in the joint's frame; nothing to a fixed joint."""
    lower: float = -math.inf  # rad or m; −inf where there is none
    upper: float = math.inf  # rad or m; +inf where there is none
    velocity: float = math.inf  # largest speed, rad/s or m/s; +inf where the source names none
    effort: float = math.inf  # largest effort, N m or N; +inf where the source names none
    mimic: Mimic | None = None
    acceleration: float = math.inf
    """Largest acceleration, rad/s² or m/s²; +inf where the source names none."""
    deceleration: float = math.inf
    """Likewise, of slowing down; that of the acceleration where the source names none."""
    jerk: float = math.inf  # largest jerk, rad/s³ or m/s³; +inf where the source names none
    has_soft_limits: bool = False
    """Whether `lower` or `upper` is a soft limit of a safety controller."""
    armature: float = 0.0  # kg m² or kg, of the rotor; no part of inertials and mass matrices

    def __post_init__(self) -> None:
        for role in ('name', 'parent', 'child'):
            check_text(getattr(self, role), f'the {role} of a joint')
        where = f'joint {self.name!r}'
        if not isinstance(self.type, str) or self.type not in JOINT_TYPES:
            raise ModelError(f'{where} is of type {shown(self.type)}; the types are '
                             f'{names(JOINT_TYPES)}')
        instance(self.mimic, Mimic | None, f'{where}: mimic must be a Mimic or None', ModelError)
        placement = model_array(self.placement, f'{where}: its placement', (4, 4))
        axis = model_array(self.axis, f'{where}: its axis', (3,))
        if not abs(math.sqrt(min(axis @ axis, 4.0)) - 1.0) <= _AXIS_OFF:
            raise ModelError(f'{where}: its axis {axis.tolist()} must have the length 1')
        values = {name: float(model_array(getattr(self, name), f'{where}: its {name}', (), False))
                  + 0.0  # −0.0 becomes 0
                  for name in ('lower', 'upper', 'velocity', 'effort', 'armature', *RATES)}
        lower, upper = values['lower'], values['upper']
        if not (lower <= upper and lower < math.inf and upper > -math.inf):
            raise ModelError(f'{where}: its limits {lower:g} to {upper:g} leave it no value')
        for name in RATES:
            if not values[name] >= 0.0:  # NaN is not, either
                raise ModelError(f'{where}: its {name} must not be negative, not '
                                 f'{values[name]:g}')
        if math.isinf(values['deceleration']):
            values['deceleration'] = values['acceleration']
        vars(self).update(values, placement=read_only(placement), axis=read_only(axis))

    @property
    def moves(self) -> bool:
        """Whether the joint has a value at all; a mimic has one, though not its own."""
        return self.type != FIXED

    @property
    def prismatic(self) -> bool:
        """Whether the joint is prismatic, so that its value is in metres."""
        return self.type == PRISMATIC


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


def check_text(value: object, what: str) -> None:
    """Raise ModelError for what is no text."""
    instance(value, str, f'{what} must be text', ModelError)


def limits_of(lower: float, upper: float, where: str) -> tuple[float, float]:
    """Return limits, infinite where they are beyond ±UNLIMITED, which is how files say so.

    Raises ModelError where lower is greater than upper, and where both are beyond the same end.
    """
    if not lower <= upper:
        raise ModelError(f'{where}: its limits {lower:g} to {upper:g} are no range; lower must '
                         'not be greater than upper')
    if lower >= UNLIMITED or upper <= -UNLIMITED:
        raise ModelError(f'{where}: its limits {lower:g} to {upper:g} lie beyond ±{UNLIMITED:g}, '
                         'where a limit counts as none')
    return (-math.inf if lower <= -UNLIMITED else lower,
            math.inf if upper >= UNLIMITED else upper)


def model_array(values: object, what: str, shape: tuple[int, ...] | None,
                finite: bool = True) -> np.ndarray:
    """Return numbers as a new array, of any shape for None. Raises ModelError for others."""
    try:
        array = floats(values, what) if finite else numbers(values, what)
    except InputError as error:
        raise ModelError(str(error)) from error
    if shape is not None and array.shape != shape:
        raise ModelError(f'{what} must be {"a number" if not shape else f"of shape {shape}"}, not '
                         f'of shape {array.shape}')
    return array


def joint_kind(joint: Joint) -> int:
    """Return the kind of a joint for the kernels; fixed joints have none."""
    if joint.type == ROTATION_VECTOR:
        return (kinds.SPHERICAL_X, kinds.SPHERICAL_Y,
                kinds.SPHERICAL_Z)[int(np.argmax(joint.axis))]
    return kinds.PRISMATIC if joint.prismatic else kinds.REVOLUTE


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


_X, _Y, _Z = np.eye(3)
ROOTS: dict[str, tuple[Joint, ...]] = {
    'fixed': (),
    'planar': (Joint('root_x', PRISMATIC, 'world', 'root_x', axis=_X),
               Joint('root_y', PRISMATIC, 'root_x', 'root_y', axis=_Y),
               Joint('root_yaw', CONTINUOUS, 'root_y', 'root', axis=_Z)),
    'floating': ComplexJoint('root', FLOATING, 'world', 'root', rotation=EXPONENTIAL).parts(),
}
"""The joints between the world and the root link, by kind of root."""
