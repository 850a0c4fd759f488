"""Constants that kernels read from a .pxd have the values that Python reads from the module."""

import importlib
import re
from pathlib import Path

import pytest

import ik_node
from ik_node.solvers import codes
from ik_node.solvers.result import REASONS, StopReason

PACKAGE = Path(ik_node.__file__).parent
HEADERS = [header for header in sorted(PACKAGE.rglob('*.pxd'))
           if header.read_text().startswith('# Not compiled: constants')]


def of_c(header):
    """Return the constants of a header by name, counted as C counts those of an enum."""
    found = {}
    for block in re.split(r'^cdef enum:$', header.read_text(), flags=re.MULTILINE)[1:]:
        value = 0
        for name, given in re.findall(r'^ +(\w+)(?: = (\d+))?$', block, flags=re.MULTILINE):
            value = int(given) if given else value
            found[name] = value
            value += 1
    return found


def of_python(header):
    module = '.'.join(header.relative_to(PACKAGE.parent).with_suffix('').parts)
    return {name: value for name, value in vars(importlib.import_module(module)).items()
            if name.isupper() and isinstance(value, int)}


@pytest.mark.parametrize('header', HEADERS, ids=lambda header: header.stem)
def test_a_constant_has_one_value_in_c_and_in_python(header):
    assert of_c(header) == of_python(header)


def test_a_search_that_ended_is_told_by_its_reason():
    assert REASONS[codes.CONVERGED] is StopReason.CONVERGED
    assert REASONS[codes.EXHAUSTED] is StopReason.ITERATIONS
    assert REASONS[codes.STALLED] is StopReason.STALLED
    assert REASONS[codes.BEYOND] is StopReason.UNREACHABLE
    assert REASONS[codes.TIMED_OUT] is StopReason.TIMEOUT
    assert REASONS[codes.SINGULAR] is StopReason.SINGULAR
