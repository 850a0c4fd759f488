"""Options are what their specs say: each value that a spec forbids is refused, by its name."""

import math
import re
from dataclasses import dataclass

import numpy as np
import pytest

import ik_node.control.options
import ik_node.mocap.retargeting_map
import ik_node.solvers.registry  # noqa: F401
from ik_node import IkError
from ik_node.support.exceptions import OptionError
from ik_node.support.options import Options, option


def every_kind(kind=Options):
    """Yield the classes of options of this package."""
    for one in kind.__subclasses__():
        if one.__module__.startswith('ik_node.'):
            yield one
            yield from every_kind(one)


KINDS = {kind.__name__: kind for kind in every_kind()}
EACH = pytest.mark.parametrize('kind', KINDS.values(), ids=KINDS)


def forbidden(spec):
    """Yield values that a spec does not allow, and what the error says is allowed."""
    if not spec.optional:
        yield None, 'not None'
    if spec.python is not None:  # which reads more than a spec says
        return
    wrap = (lambda value: [value] * (spec.length or 1)) if spec.listed else (lambda value: value)
    if spec.choices:
        yield wrap('no such choice'), repr(spec.choices[0])
    if spec.kind is bool:
        yield wrap(1), 'true or false'
    if spec.kind not in (int, float):
        return
    for value in (math.nan, True, 1j, *([] if spec.named else ['1'])):
        yield wrap(value), 'a number' if spec.kind is float else 'a whole number'
    whole = spec.kind is int
    if whole:
        yield wrap(max(spec.low, 0) + 0.5), 'a whole number'
    if math.isfinite(spec.low):
        lower = spec.low - 1 if whole else np.nextafter(spec.low, -math.inf)
        yield (wrap(spec.low), f'above {spec.low:g}') if spec.positive else (
            wrap(lower), f'at least {spec.low:g}')
    if math.isfinite(spec.high):
        yield wrap(spec.high + 1 if whole else np.nextafter(spec.high, math.inf)), (
            f'at most {spec.high:g}')
    if spec.listed and spec.length:
        yield [max(spec.low, 1.0)] * (spec.length + 1), f'{spec.length} entries'
    if spec.per_joint:
        yield [max(spec.low, 0.0) + 0.5] * 3, '2 entries, one for each joint, not 3'


@EACH
def test_values_that_a_spec_forbids_are_refused_with_what_is_allowed(kind):
    for name, spec in kind.specs().items():
        for value, words in forbidden(spec):
            with pytest.raises(OptionError, match=rf'own\.{name}\b.* must .*{re.escape(words)}'):
                kind.read({name: value}, 2, 'own')


@EACH
def test_every_option_has_a_text_and_a_default_that_it_allows(kind):
    for name, spec in kind.specs().items():
        assert len(spec.text) > 10
        default = kind.defaults()[name]
        if default not in ('', ()):  # not set
            read = getattr(kind.read({name: default}), name)
            assert repr(np.ravel(read).tolist()) == repr(np.ravel(default).tolist())


def test_an_unknown_option_is_refused_with_the_known_ones():
    for kind in KINDS.values():
        with pytest.raises(OptionError, match='there is no own option .nothing.'):
            kind.read({'nothing': 1}, owner='own')


def test_an_option_is_of_the_type_of_its_default():
    @dataclass(frozen=True)
    class Own(Options):
        memory: int = option(10, 'steps', low=1)
        exact: bool = option(False, 'whether it is exact')
        name: str = option('a', 'a name')
        gain: float = option(1.0, 'a gain')
        damping: float | None = option(None, 'damping', optional=True)
    own = Own.read({'memory': 7, 'exact': True, 'name': 'b', 'gain': 2, 'damping': 3})
    assert [type(getattr(own, name)) for name in own.specs()] == [int, bool, str, float, float]
    with pytest.raises(IkError, match='memory'):
        Own.read({'memory': 7.5})
