"""Robots chosen one after the other on the page are drawn where forward kinematics puts them."""

import numpy as np
import pytest

import gallery_switches
import robots
from browser import first_picture, page_of, view_of
from ros_harness import running

pytestmark = pytest.mark.slow

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
