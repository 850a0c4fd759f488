"""A film of the page is an animated GIF of its pictures, each as long as it was shown."""

import io
import threading

import numpy as np
import pytest

pytest.importorskip('viser')

from PIL import Image

from ik_node.viewer.scene_panel import film
from page_here import page_with


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


@pytest.fixture
def page():
    with page_with('planar_3r') as made:
        yield made


def test_a_picture_is_what_the_browser_shows(page):
    (wanted,) = pictures(1)
    page.browser.pictures = lambda: wanted
    page.press('Scene', 'Save a picture')
    (name, content), = page.browser.downloads
    assert name == 'ik_view.png'
    assert np.asarray(Image.open(io.BytesIO(content))) == pytest.approx(wanted)


def test_a_film_has_the_pictures_until_it_is_finished(page):
    sent, third = iter(pictures(100)), threading.Event()
    taken = []

    def take():
        taken.append(next(sent))
        if len(taken) == 3:
            third.set()
        return taken[-1]
    page.browser.pictures = take
    page.begin('Scene', 'Record a film')
    assert third.wait(60.0)
    page.begin('Scene', 'Finish the film')
    page.until(lambda: page.browser.downloads)
    (name, content), = page.browser.downloads
    shown = Image.open(io.BytesIO(content))
    assert (name, shown.format, shown.n_frames) == ('ik_view.gif', 'GIF', len(taken))
    assert page.shows('Scene', 'Record a film')


def test_a_browser_that_sends_no_pictures_is_told_of(page):
    def take():
        raise TimeoutError
    page.browser.pictures = take
    page.begin('Scene', 'Record a film')
    page.until(lambda: page.told)
    assert page.told == ['The browser sends no pictures.']
    page.until(lambda: page.shows('Scene', 'Record a film'))
    assert page.browser.downloads == []
