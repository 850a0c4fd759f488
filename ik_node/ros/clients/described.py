"""Parameters and refusals of them, as a node describes them."""

import re
from typing import Any, NamedTuple

from rcl_interfaces.msg import ParameterDescriptor

_ENDLESS = 1e300  # the bound of a range without one
# A reason of rclpy's.
_RANGE = re.compile(r'Parameter (\S+) out of range Min: (\S+), Max: (\S+), value: (\S+)')


class Described(NamedTuple):
    """A parameter, as the node describes it."""

    name: str
    value: Any
    text: str
    choices: tuple[str, ...]
    low: float | None
    high: float | None
    read_only: bool

    @classmethod
    def of(cls, name: str, value: Any, descriptor: ParameterDescriptor) -> 'Described':
        """Return a parameter with what its descriptor says."""
        choices = descriptor.additional_constraints.removeprefix('one of ')
        ranges = [*descriptor.floating_point_range, *descriptor.integer_range]
        low, high = (ranges[0].from_value, ranges[0].to_value) if ranges else (None, None)
        return cls(name, value, descriptor.description,
                   () if choices == descriptor.additional_constraints else tuple(
                       choices.split(', ')), low, high, descriptor.read_only)


def refusal_text(reason: str) -> str:
    """Return the reason for a refusal, in words where it is rclpy's for a value out of range."""
    return _RANGE.sub(_range_text, reason)


def _range_text(found: re.Match[str]) -> str:
    """Return in words that a value is outside its range."""
    low, high, value = map(float, found.groups()[1:])
    most = f' and at most {high:g}' if high < _ENDLESS else ''
    return f'{found[1]} must be at least {low:g}{most}, not {value:g}'
