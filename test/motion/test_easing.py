import numpy as np
import pytest

from ik_node import IkError
from ik_node.motion.easing import easing, easing_names
from ik_node.support.exceptions import InputError, OptionError

FINE = np.linspace(0.0, 1.0, 1001)
SMOOTH = [name for name in easing_names() if name != 'linear']


def test_the_names_are_these():
    assert easing_names() == ('linear', 'cubic', 'quintic', 'sine', 'trapezoid')


@pytest.mark.parametrize('name', easing_names())
def test_it_starts_at_zero_ends_at_one_and_is_half_way_at_half_time(name):
    ease = easing(name)
    assert ease(0.0) == 0.0
    assert ease(1.0) == 1.0
    assert ease(0.5) == pytest.approx(0.5, abs=1e-15)


@pytest.mark.parametrize('name', easing_names())
def test_it_never_goes_back_nor_overshoots(name):
    near_the_ends = np.concatenate([FINE, 1.0 - np.logspace(-17, -3, 100),
                                    np.logspace(-17, -3, 100)])
    s = np.sort(near_the_ends)
    values = easing(name)(s)
    assert (np.diff(values) >= -1e-15).all()
    assert values.min() == 0.0
    assert values.max() == 1.0


@pytest.mark.parametrize('name', easing_names())
def test_it_arrives_as_it_leaves(name):
    assert easing(name)(1.0 - FINE) == pytest.approx(1.0 - easing(name)(FINE), abs=1e-15)


@pytest.mark.parametrize('name', easing_names())
def test_the_slope_is_the_derivative(name):
    s, h = np.linspace(0.01, 0.99, 50), 1e-6
    differences = (easing(name)(s + h) - easing(name)(s - h)) / (2.0 * h)
    assert easing(name).slope(s) == pytest.approx(differences, abs=1e-5)


@pytest.mark.parametrize('name', SMOOTH)
def test_the_smooth_ones_are_at_rest_at_both_ends(name):
    assert easing(name).slope(0.0) == 0.0
    assert easing(name).slope(1.0) == 0.0


@pytest.mark.parametrize(('name', 'peak'), [
    ('linear', 1.0), ('cubic', 1.5), ('quintic', 1.875), ('sine', np.pi / 2), ('trapezoid', 1.5)])
def test_the_greatest_speed_is_the_known_one(name, peak):
    slopes = easing(name).slope(FINE)
    assert slopes.max() == pytest.approx(peak, rel=1e-12)
    assert easing(name).slope(0.5) == pytest.approx(peak, rel=1e-12)


@pytest.mark.parametrize(('name', 'quarter'), [
    ('linear', 0.25), ('cubic', 3 / 16 - 2 / 64), ('quintic', 6 / 4**5 - 15 / 4**4 + 10 / 4**3),
    ('sine', (1.0 - np.sqrt(0.5)) / 2.0), ('trapezoid', 2.25 / 16)])
def test_at_a_quarter_of_the_time_it_is_where_the_formula_says(name, quarter):
    assert easing(name)(0.25) == pytest.approx(quarter, abs=1e-15)


def test_only_the_quintic_starts_without_acceleration():
    h = 1e-4
    acceleration = {name: easing(name).slope(h) / h for name in SMOOTH}
    assert acceleration == pytest.approx(
        {'cubic': 6.0, 'quintic': 0.0, 'sine': np.pi**2 / 2, 'trapezoid': 4.5}, abs=0.01)


def test_the_trapezoid_holds_its_speed_in_the_middle_third():
    slope = easing('trapezoid').slope
    assert slope(np.linspace(0.34, 0.66, 20)) == pytest.approx(np.full(20, 1.5))
    assert slope(1.0 / 6.0) == pytest.approx(0.75)


def test_a_number_gives_a_number_and_an_array_an_array():
    for function in (easing('sine'), easing('sine').slope):
        assert np.ndim(function(0.3)) == 0
        assert function([0.3, 0.4]).shape == (2,)


@pytest.mark.parametrize('name', ['cubik', '', None, 3])
def test_an_unknown_name_is_refused_with_the_list(name):
    with pytest.raises(OptionError, match="there is no easing .*'quintic', 'sine', 'trapezoid'"):
        easing(name)


@pytest.mark.parametrize(('s', 'says'), [
    (-1e-9, 'between 0 and 1'), (1.1, 'not at 1.1'), (np.nan, 'finite'), ('x', 'numbers'),
    ([0.2, 2.0], 'not at 2'), ([[0.5]], r'\(1, 1\)')])
def test_what_is_no_part_is_refused(s, says):
    for function in (easing('cubic'), easing('cubic').slope):
        with pytest.raises(InputError, match=says) as caught:
            function(s)
        assert isinstance(caught.value, IkError)
