"""Quantities as text with a unit in which they are easy to read."""

from collections.abc import Callable

import numpy as np

_NONE = '–'


def length_text(value: float) -> str:
    """Return a length, m, as text: 1.25 m, 140 mm, 0.004 mm."""
    size = abs(value)
    if size >= 0.9995:
        return f'{value:.3g} m'
    return f'{_digits(1e3 * value)} mm'


def angle_text(value: float) -> str:
    """Return an angle, rad, as text in degrees."""
    return f'{_digits(float(np.degrees(value)))}°'


def time_text(value: float) -> str:
    """Return a time, s, as text: 85 µs, 1.2 ms, 2.5 s."""
    size = abs(value)
    if size < 0.9995e-3:
        return f'{1e6 * value:.0f} µs'
    return f'{1e3 * value:.3g} ms' if size < 0.9995 else f'{value:.3g} s'


def value_text(value: str | None, write: Callable[[float], str]) -> str:
    """Return a value of a status, '' or None for none, as text. write: makes it of a number."""
    return write(float(value)) if value else _NONE


def _digits(value: float) -> str:
    """Return a number with at most three decimals; what would be zero is less than a thousandth."""
    size = abs(value)
    if size == 0.0:
        return '0'
    if size < 5e-4:
        return '< 0.001'
    return f'{value:.0f}' if size >= 99.5 else f'{value:.1f}' if size >= 9.95 else (
        f'{value:.2f}' if size >= 0.995 else f'{value:.3f}')
