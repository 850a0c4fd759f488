"""Joints: the edges of the tree of links [Parent fig. 5.6]."""

import math
from dataclasses import dataclass, field

import numpy as np

from ik_node.kinematics import kinds
from ik_node.support.arguments import floats, numbers
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


@dataclass(frozen=True)
class Mimic:
    """A joint that follows another: value = multiplier · value of joint + offset.

    Raises ModelError for a name that is no text, and for values that are no finite numbers.
    """

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0

    def __post_init__(self) -> None:
        if not isinstance(self.joint, str):
            raise ModelError(f'the joint of a mimic must be a name, not {shown(self.joint)}')
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
    type: str  # one of JOINT_TYPES. Rotation vectors come in threes, see `model.complex_joints`.
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

    def __post_init__(self) -> None:
        for role in ('name', 'parent', 'child'):
            check_text(getattr(self, role), f'the {role} of a joint')
        where = f'joint {self.name!r}'
        if not isinstance(self.type, str) or self.type not in JOINT_TYPES:
            raise ModelError(f'{where} is of type {shown(self.type)}; the types are '
                             f'{names(JOINT_TYPES)}')
        if self.mimic is not None and not isinstance(self.mimic, Mimic):
            raise ModelError(f'{where}: mimic must be a Mimic or None, not {shown(self.mimic)}')
        placement = model_array(self.placement, f'{where}: its placement', (4, 4))
        axis = model_array(self.axis, f'{where}: its axis', (3,))
        if not abs(math.sqrt(min(axis @ axis, 4.0)) - 1.0) <= _AXIS_OFF:
            raise ModelError(f'{where}: its axis {axis.tolist()} must have the length 1')
        values = {name: float(model_array(getattr(self, name), f'{where}: its {name}', (), False))
                  for name in ('lower', 'upper', 'velocity', 'effort', *RATES)}
        lower, upper = values['lower'], values['upper']
        if not (lower <= upper and lower < math.inf and upper > -math.inf):
            raise ModelError(f'{where}: its limits {lower:g} to {upper:g} leave it no value')
        for name in RATES:
            if not values[name] >= 0.0:  # NaN is not, either
                raise ModelError(f'{where}: its {name} must not be negative, not '
                                 f'{values[name]:g}')
        if math.isinf(values['deceleration']):
            values['deceleration'] = values['acceleration']
        for name, value in {'placement': read_only(placement), 'axis': read_only(axis),
                            **values}.items():
            object.__setattr__(self, name, value)

    @property
    def moves(self) -> bool:
        """Whether the joint has a value at all; a mimic has one, though not its own."""
        return self.type != FIXED

    @property
    def prismatic(self) -> bool:
        """Whether the joint is prismatic, so that its value is in metres."""
        return self.type == PRISMATIC


def check_text(value: object, what: str) -> None:
    """Raise ModelError for what is no text."""
    if not isinstance(value, str):
        raise ModelError(f'{what} must be text, not {shown(value)}')


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
