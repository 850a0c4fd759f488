"""ROS parameters from tables of options: declared with text, unit and range, and validated.

An option that is None has the text "none" as a parameter: ROS has no such value.
"""

import math
import re
import sys
from typing import Any, NamedTuple

import numpy as np
from rcl_interfaces.msg import FloatingPointRange, IntegerRange, ParameterDescriptor
from rclpy.exceptions import ParameterException
from rclpy.node import Node
from rclpy.parameter import Parameter

from ik_node.support.exceptions import OptionError
from ik_node.support.options import Spec, check

NONE = 'none'
# rclpy's reason to refuse a value.
_RANGE = re.compile(r'Parameter (\S+) out of range Min: (\S+), Max: (\S+), value: (\S+)')


def declare(node: Node, specs: dict[str, Spec], defaults: dict[str, Any], prefix: str = '',
            read_only: bool = False) -> dict[str, Any]:
    """Declare options as parameters `prefix + name`; return their values {prefix + name: value}.

    An invalid initial value is logged and replaced by the default.
    """
    values: dict[str, Any] = {}
    for option, spec in specs.items():
        name, default = prefix + option, defaults[option]
        value, is_final = to_parameter(default), not read_only
        try:
            parameter = node.declare_parameter(name, value, describe(spec))
        except ParameterException:  # of another type than declared, or out of range
            parameter = node.declare_parameter(name, value, ParameterDescriptor(
                dynamic_typing=True))
            is_final = False
        own = with_numbers(parameter, spec)
        try:
            values[name] = from_parameter(name, own, spec)
        except OptionError as error:
            log_invalid(node, name, default, error)
            values[name], is_final = default, False
        if not is_final or own is not parameter:
            node.undeclare_parameter(name)
            node.declare_parameter(name, to_parameter(values[name]), describe(spec, read_only),
                                   ignore_override=True)
    return values


def log_invalid(node: Node, name: str, default: Any, error: Exception) -> None:
    """Log that an invalid initial value is replaced by the default."""
    node.get_logger().error(f'parameter {name}: {error}; {to_parameter(default)!r} is used instead')


def describe(spec: Spec, read_only: bool = False) -> ParameterDescriptor:
    """Return the descriptor of an option."""
    descriptor = ParameterDescriptor(
        description=f'{spec.text} [{spec.unit}]' if spec.unit else spec.text,
        read_only=read_only,
        # Numbers may be whole numbers, and optional values may be text.
        dynamic_typing=(spec.optional or spec.named or spec.per_joint or spec.listed
                        or spec.kind is float))
    if spec.choices:
        descriptor.additional_constraints = f'one of {", ".join(spec.choices)}'
    elif spec.optional:
        descriptor.additional_constraints = f'or "{NONE}"'
    bounded = math.isfinite(spec.low) or math.isfinite(spec.high)
    if bounded and spec.kind is int:
        descriptor.integer_range = [IntegerRange(
            from_value=int(max(spec.low, -2**62)), to_value=int(min(spec.high, 2**62)), step=0)]
    elif bounded and spec.kind is float and not spec.listed:
        descriptor.floating_point_range = [FloatingPointRange(
            from_value=max(spec.low, -sys.float_info.max),
            to_value=min(spec.high, sys.float_info.max), step=0.0)]
    return descriptor


class Described(NamedTuple):
    """A parameter as a node describes it, see `describe`."""

    name: str
    value: Any
    text: str
    choices: tuple[str, ...]
    read_only: bool

    @classmethod
    def of(cls, name: str, value: Any, descriptor: ParameterDescriptor) -> 'Described':
        """Return a parameter with what its descriptor says."""
        choices = descriptor.additional_constraints.removeprefix('one of ')
        return cls(name, value, descriptor.description,
                   () if choices == descriptor.additional_constraints else tuple(
                       choices.split(', ')), descriptor.read_only)


def refusal_text(reason: str) -> str:
    """Return the reason for a refusal, in words where it is rclpy's for a value out of range."""
    def text(found: re.Match[str]) -> str:
        low, high, value = map(float, found.groups()[1:])
        most = f' and at most {high:g}' if high < 1e300 else ''
        return f'{found[1]} must be at least {low:g}{most}, not {value:g}'
    return _RANGE.sub(text, reason)


def with_numbers(parameter: Parameter, spec: Spec) -> Parameter:
    """Return a parameter whose numbers, or truth value, have come as text with what they are.

    YAML, and so `ros2 param set`, reads 1e-8 as text, since it has no point.
    """
    value, lists = parameter.value, spec.listed or spec.per_joint
    if spec.kind is str:
        return parameter
    if lists and isinstance(value, str) and value.startswith('['):
        value = value.strip('[] ').split(',')
    try:
        if lists and isinstance(value, list) and any(isinstance(one, str) for one in value):
            value = [_number(one, spec.kind) for one in value]
        elif not spec.named:
            value = _number(value, spec.kind)
    except ValueError:  # another text
        return parameter
    return parameter if value is parameter.value else Parameter(parameter.name, value=value)


def _number(value: Any, kind: type) -> Any:
    """Return a number or a truth value from text. Raises ValueError."""
    if kind is bool and isinstance(value, str):
        return bool(('false', 'true').index(value.strip().lower()))
    if kind in (int, float) and isinstance(value, str) and '_' not in value:
        value = float(value)
    return int(value) if kind is int and isinstance(value, float) and value.is_integer() else value


def from_parameter(name: str, parameter: Parameter, spec: Spec) -> Any:
    """Return a parameter's value as its option. Raises OptionError for an invalid value."""
    value = parameter.value
    if parameter.type_ == Parameter.Type.NOT_SET:
        hint = f'; set it to "{NONE}" instead' if spec.optional else ''
        raise OptionError(f'{name} cannot be deleted{hint}')
    if spec.optional and value == NONE:
        return None
    return check(name, value, spec)


def to_parameter(value: Any) -> Any:
    """Return an option's value as a parameter value."""
    if value is None:
        return NONE
    if isinstance(value, np.ndarray):
        return value.tolist()
    return list(value) if isinstance(value, tuple) else value
