"""The page of nodes as processes, in a real browser.

The steps of a student, an engineer and an animator are in page_hours.py.
"""

import base64
import os
import re
import signal
import subprocess
import sys

import numpy as np
import pytest

import robots
from domains import Domain
from harness import gallery_switches, page_hours
from harness.browser import first_picture, page_of, picture, picture_size, until, view_of
from harness.ros_harness import running
from ik_node.ros.clients.client import Client
from soak_sequences import run_sequences

pytestmark = pytest.mark.slow

# Plays a video; returns its width and height, pixels, and how many pictures it has.
_PLAY = """async () => {
  const video = document.querySelector('video');
  let pictures = 0;
  const count = () => { pictures++; video.requestVideoFrameCallback(count); };
  video.requestVideoFrameCallback(count);
  const ended = new Promise(done => { video.onended = done; });
  await video.play();
  await ended;
  return [video.videoWidth, video.videoHeight, pictures];
}"""


class Steps:
    """Keeps the steps that were not seen."""

    def __init__(self):
        self.failed = []

    def see(self, what, seen):
        if not seen:
            self.failed.append(what)


def check_film(page, film):
    """Check that a film has the size of the picture, several pictures, and something on them."""
    player = page.context.browser.new_page()
    player.set_content(f'<video muted src="data:video/webm;base64,'
                       f'{base64.b64encode(film).decode()}"></video>')
    width, height, pictures = player.evaluate(_PLAY)
    across, upright = picture_size(page)  # the page draws fewer pixels where it is slow
    assert width >= 0.5 * across
    assert width / height == pytest.approx(across / upright, rel=0.02)
    assert pictures > 1
    assert picture(player, x=0, y=0, width=width, height=height).std() > 5.0
    player.close()


@pytest.mark.parametrize(('name', 'robot'), [
    ('student', 'planar_3r'), ('engineer', 'arm_6r'), ('animator', 'arm_6r')])
def test_every_step_of_the_first_hour_is_seen_on_the_page(name, robot):
    steps = Steps()
    with (running(model_path=robots.OWN / f'{robot}.urdf', on_failure='closest') as node,
          page_hours.at_the_page(steps, node) as person):
        film = getattr(page_hours, name)(person)
        if film is not None:
            check_film(person.page, film)
    assert steps.failed == []


# Two with links of the same names, some of which stand at the identity in one robot and not in the
# other; one that is drawn as meshes.
SWITCHES = ['puma560 (DH rows)', 'torso', 'irb140 (rtb-data)']


def test_every_link_is_drawn_where_forward_kinematics_puts_it_after_a_switch():
    with (running(urdf_path=robots.OWN / 'arm_7r.urdf') as node,
          view_of(node._domain.id) as (server, view, _),
          page_of(server.get_port(), size=gallery_switches.SIZE) as (page, said)):
        first_picture(page, view)
        gallery = gallery_switches.Gallery(node, page, np.random.default_rng(3))
        errors = [error for name in SWITCHES for error in gallery.switch(name)]
        assert errors == []
        assert gallery_switches.page_errors(said) == []


def test_after_random_sequences_of_actions_the_page_shows_what_the_node_reports():
    assert run_sequences(6, 34)[0] == []


SOLVERS = ('dls', 'transpose')


@pytest.fixture
def domain(monkeypatch):
    domain = Domain()
    monkeypatch.setenv('ROS_DOMAIN_ID', str(domain.id))
    yield domain.id
    domain.give_back()


def test_ik_view_brings_a_node_for_every_solver_it_compares(domain):
    process = subprocess.Popen(
        [sys.executable, '-m', 'ik_node.viewer', '--robot', 'planar_3r', '--compare', *SOLVERS,
         '--port', '0'], stdout=subprocess.PIPE, text=True,
        env={**os.environ, 'PYTHONUNBUFFERED': '1'})
    address = re.search(r'ik_view: http://127\.0\.0\.1:(\d+)', process.stdout.readline())
    for solver in SOLVERS:
        with Client(namespace=solver, domain_id=domain) as client:
            assert client.spin_until(lambda c=client: c._joints, 60.0)
    with page_of(int(address.group(1))) as (page, _):
        assert until(lambda: page.locator('.ik-state', has_text='no goal yet').count() == len(
            SOLVERS), 60, page)
        assert all(solver in page.inner_text('body') for solver in SOLVERS)
    process.send_signal(signal.SIGINT)
    assert process.wait(30) == 0
