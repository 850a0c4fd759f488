"""What commands have in common: numbers among their arguments, and errors in one line."""

import argparse
import math
import sys
from collections.abc import Callable
from typing import Any

from ik_node.support.exceptions import IkError, error_line


def reporting(command: str) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Let `main` of a command print an IkError or OSError in one line to stderr, and return 2."""
    def decorate(main: Callable[..., int]) -> Callable[..., int]:
        def run(arguments: Any = None) -> int:
            try:
                return main(arguments)
            except (IkError, OSError) as error:
                print(f'{command}: {error_line(error)}', file=sys.stderr)
                return 2
        return run
    return decorate


def number(kind: type, low: float, high: float = math.inf) -> Callable[[str], Any]:
    """Return what reads a finite int or float of a range from an argument of a command."""
    def read(text: str) -> Any:
        try:
            value = kind(text)
        except ValueError:
            value = math.nan
        if not (low <= value <= high and math.isfinite(value)):
            what = 'a whole number' if kind is int else 'a number'
            wanted = f'from {low:g} to {high:g}' if math.isfinite(high) else f'of at least {low:g}'
            raise argparse.ArgumentTypeError(f'must be {what} {wanted}, not {text!r}')
        return value
    return read
