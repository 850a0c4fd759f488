"""Switches robots at random on the page of a headless Chromium, and compares what is drawn.

    python test/soak_view.py --switches 50 --seed 0

After each switch, and after a move, every link and the goal's handle have to be drawn where forward
kinematics puts them at the node's joint states, to 1e-4 m and 1e-4 in the rotation matrix. Then the
node is killed and started again: the page has to report both within 2 s.
"""

import time
from pathlib import Path

import numpy as np
from sensor_msgs.msg import JointState

import robots
from harness import gallery_switches
from harness.browser import open_tab, page_of, until, view_of
from harness.ros_harness import running
from harness.soak_runner import run_soak

REPORTED = 2.0  # s
SILENT = 'the node does not respond'


def outage(node, page) -> list[str]:
    """Kill the node and start it again; return what the page does not report in time."""
    open_tab(page, 'Move')
    page.get_by_role('button', name='Home').click()
    node.process.kill()
    errors = _reported(page, 'the end', lambda: SILENT in page.inner_text('body'))
    node.process.wait(20)
    node.restart()
    heard: list[JointState] = []  # not by `listen`, which calls services: of the killed node, too
    node.node.create_subscription(JointState, 'joint_states', heard.append, 10)
    if not node.until(lambda: heard, 60.0):
        return [*errors, 'the node does not start again']
    return errors + _reported(page, 'the return',
                              lambda: SILENT not in page.inner_text('body'))


def _reported(page, what, shown) -> list[str]:
    began = time.monotonic()
    until(shown, 60.0, page)
    took = time.monotonic() - began
    print(f'{what} of the node is on the page after {took:.2f} s')
    return [f'{what} of the node was reported after {took:.2f} s'] if took > REPORTED else []


def soak(given) -> list[str]:
    """Return what is drawn wrongly, or reported late."""
    rng, errors = np.random.default_rng(given.seed), []
    with (running(urdf_path=robots.OWN / 'arm_6r.urdf') as node,
          view_of(node._domain.id) as (server, view, _),
          page_of(server.get_port(), size=gallery_switches.SIZE) as (page, said)):
        if not until(lambda: view.page.handle_pose is not None and server.get_clients(), 60, page):
            return ['the page does not show the robot']
        page.wait_for_function('window.__viserMutable !== undefined', timeout=20000)
        gallery = gallery_switches.Gallery(node, page, rng)
        for number in range(1, given.switches + 1):
            name = str(rng.choice([name for name in gallery.robots if name != gallery.shown]))
            found = gallery.switch(name)
            errors += found
            if given.pictures:
                page.screenshot(path=given.pictures / f'{number:03d}.png')
            print(f'{number:4d}/{given.switches}  {name:40s} {len(errors)} errors',
                  *found[:5], sep='\n        ', flush=True)
        return errors + outage(node, page) + gallery_switches.page_errors(said)


if __name__ == '__main__':
    run_soak(soak, __doc__, switches=50, pictures=Path)
