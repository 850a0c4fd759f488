"""Quantities on the page are texts with units."""

import numpy as np
import pytest

from ik_node.viewer.page_text import angle_text, length_text, time_text


@pytest.mark.parametrize(('write', 'value', 'text'), [
    (length_text, 0.14, '140 mm'), (length_text, 4e-6, '0.004 mm'), (length_text, 1.25, '1.25 m'),
    (length_text, 0.0125, '12.5 mm'), (length_text, 1e-9, '< 0.001 mm'), (length_text, 0.0, '0 mm'),
    (angle_text, np.radians(45.0), '45.0°'), (angle_text, np.radians(0.02), '0.020°'),
    (time_text, 85e-6, '85 µs'), (time_text, 1.2e-3, '1.2 ms'), (time_text, 2.5, '2.5 s')])
def test_a_quantity_has_a_readable_unit(write, value, text):
    assert write(value) == text
