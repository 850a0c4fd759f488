"""A film of the page is an animated GIF of its pictures, each as long as it was shown."""

import io

import numpy as np
import pytest

pytest.importorskip('viser')

from PIL import Image

from ik_node.viewer.film import film


def pictures(count):
    """Return pictures that differ, so that none is left out as the same as the one before."""
    random = np.random.default_rng(0)
    return list(random.integers(0, 256, (count, 6, 8, 3), dtype=np.uint8))


@pytest.mark.parametrize('durations', [[0.1], [0.1, 0.25], [0.1, 0.25, 0.4]])
def test_a_film_of_any_number_of_pictures(durations):
    shown = Image.open(io.BytesIO(film(pictures(len(durations)), durations)))
    assert (shown.format, shown.size, shown.n_frames) == ('GIF', (8, 6), len(durations))
    milliseconds = []
    for index in range(shown.n_frames):
        shown.seek(index)
        milliseconds.append(shown.info['duration'])
    np.testing.assert_allclose(milliseconds, np.multiply(1e3, durations))


def test_a_browser_shows_no_picture_for_less_than_a_fiftieth_of_a_second():
    shown = Image.open(io.BytesIO(film(pictures(2), [0.001, 0.1])))
    shown.seek(0)
    assert shown.info['duration'] == 20
