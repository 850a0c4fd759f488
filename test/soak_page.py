"""Opens the page of every robot of the gallery at several widths, and drags the goal's handle.

    python test/soak_page.py --widths 390 800 1280 1920 --moves 1000

At first sight the handle has to be in the part of the picture that the panel leaves free, and a
drag with the mouse has to move the goal; every link has to be drawn where forward kinematics puts
it. Before that the time from a move of the mouse during a
drag to the first picture with the arm moved is measured, and how many pictures a second the
processor renders. No line on the console may be an error.
"""

from pathlib import Path

import numpy as np

import robots
from harness import gallery_switches
from harness.browser import CLOSE_NOTIFICATIONS, arrow_length, page_of, pixel, until, view_of
from harness.ros_harness import running
from harness.soak_runner import run_soak
from ik_node.viewer import gallery

SCALES = {390: 3.0}  # pixels of the screen by those of the page
HEIGHTS = {390: 844, 800: 900, 1280: 800, 1920: 1080}  # of a page with that width, pixels
MESHES = 'panda (example-robot-data)'
# Notes when the mouse moved, and when a picture was drawn after the next link came that is drawn
# elsewhere.
_LISTEN = """
window.moved = null; window.delays = [];
addEventListener('pointermove', () => { window.moved ??= performance.now(); }, true);
const Bare = window.Worker;
window.Worker = class extends Bare {
  constructor(...given) {
    super(...given);
    this.addEventListener('message', event => {
      for (const message of event.data.messages ?? [])
        if (message.type === 'SetOrientationMessage' && message.name.includes('/robot')
            && window.moved !== null) {
          const since = window.moved;
          window.moved = null;
          requestAnimationFrame(() => { window.delays.push(performance.now() - since); });
        }
    });
  }
};
"""


# Draws as often as it can for five seconds; returns the pictures per second.
_DRAW = """async () => {
  const began = performance.now();
  let pictures = 0;
  for (; performance.now() - began < 5000; pictures++) {
    window.__viserMutable.requestRender();
    await new Promise(requestAnimationFrame);
  }
  return 1000 * pictures / (performance.now() - began);
}"""


class Opened:
    """A page that is open on a node."""

    def __init__(self, server, view, robot_view, page):
        self.server, self.view, self.robot_view, self.page = server, view, robot_view, page

    @property
    def client(self):
        return list(self.server.get_clients().values())[-1]

    def ends(self, length):
        """Return two pixels, length m apart, of the arrow that is seen longest, or None.

        None where the handle is not in the part of the picture that the panel leaves free.
        """
        T = self.view.page.handle_pose
        size = arrow_length(self.page, self.view)
        pairs = [[pixel(self.page, self.client, T[:3, 3] + far * T[:3, axis])
                  for far in (size, size - length)] for axis in np.flatnonzero(
                      self.view.page.handles.named('')._handle.active_axes)]
        pairs.sort(key=lambda pair: -np.linalg.norm(pair[1] - pair[0]))
        for pair in pairs:
            if self.is_free(pair[0]) and self.is_free(pixel(self.page, self.client, T[:3, 3])):
                return pair
        return None

    def is_free(self, place):
        """Tell whether the scene, and not the panel, is at a pixel."""
        return self.page.evaluate(
            '([x, y]) => document.elementFromPoint(x, y)?.tagName === "CANVAS"',
            [float(value) for value in place])


def opened(server, view, robot_view, page):
    assert until(lambda: view.page.handle_pose is not None and server.get_clients(), 60, page)
    page.wait_for_function('window.__viserMutable !== undefined', timeout=60000)
    page.wait_for_timeout(1500)
    return Opened(server, view, robot_view, page)


def take(node, robot_view, parameters):
    assert until(lambda: robot_view.tree is not None)
    robot_view.load(parameters)
    assert until(lambda: parameters['model_path'] in node.get('model_path'))


def first_sight(shown):
    """Return what is wrong with the handle at first sight, '' for nothing."""
    length = 0.15 * shown.robot_view.reach
    before = shown.view.page.handle_pose[:3, 3]
    shown.page.evaluate(CLOSE_NOTIFICATIONS)  # viser's, that the processor renders
    shown.page.wait_for_timeout(700)
    for attempt in range(5):
        ends = shown.ends(length)
        if ends is None:
            return 'the handle is hidden'
        start, end = ends
        shown.page.mouse.move(*start)
        shown.page.wait_for_timeout(300 * (1 + attempt))
        shown.page.mouse.down()
        for share in np.linspace(0.0, 1.0, 7)[1:]:
            shown.page.mouse.move(*(start + share * (end - start)))
            shown.page.wait_for_timeout(60)
        shown.page.mouse.up()
        if until(lambda: np.linalg.norm(
                shown.view.page.handle_pose[:3, 3] - before) > 0.2 * length, 5.0, shown.page):
            return ''
    return 'the handle cannot be dragged'


def widths(node, server, view, robot_view, arguments):
    """Open every robot at every width; return the errors, a line each."""
    errors, found, rng = [], gallery.robots(), np.random.default_rng(arguments.seed)
    for name, parameters in found.items():
        take(node, robot_view, parameters)
        for width in arguments.widths:
            size = {'width': width, 'height': HEIGHTS.get(width, 800)}
            with page_of(server.get_port(), size=size,
                         scale=SCALES.get(width, 1.0)) as (page, said):
                wrong = first_sight(opened(server, view, robot_view, page))
                drawn = gallery_switches.Gallery(node, page, rng).move(name) if (
                    width == arguments.widths[-1]) else []
                console = gallery_switches.page_errors(said)
                if arguments.pictures:
                    page.screenshot(path=arguments.pictures / f'{name}-{width}.png'.replace(
                        ' ', '_'))
            print(f'{name:32s} {width:5d}  {wrong or "dragged"}', *console[:3], flush=True)
            errors += [f'{name} at {width}: {one}' for one in (wrong, *drawn, *console) if one]
    return errors


def delays(shown, moves):
    """Drag the handle to and fro; return the times from a move to a picture after it, ms."""
    page = shown.page
    start, end = shown.ends(0.15 * shown.robot_view.reach)
    page.mouse.move(*start)
    page.wait_for_timeout(1000)
    page.mouse.down()
    page.evaluate('window.delays.length = 0; window.moved = null')
    for k in range(moves):
        share = 0.5 - 0.5 * np.cos(0.1 * k)
        page.mouse.move(*(start + share * (end - start)))
        page.wait_for_timeout(100)
    page.mouse.up()
    return np.array(page.evaluate('window.delays'))


def soak(given) -> list[str]:
    """Return what is wrong with the handles, and errors on the console."""
    with (running(urdf_path=robots.OWN / 'arm_6r.urdf') as node,
          view_of(node._domain.id) as (server, view, (robot_view,))):
        for name in ('arm_6r', MESHES):
            take(node, robot_view, gallery.robots()[name])
            with page_of(server.get_port(), {'width': 1280, 'height': 800}, _LISTEN) as (page, _):
                shown = opened(server, view, robot_view, page)
                page.evaluate(_DRAW)  # the page finds out how fine it can draw
                print(f'{name}: {page.evaluate(_DRAW):.1f} pictures a second at 1280×800')
                if name == 'arm_6r' and given.moves:
                    found = delays(shown, given.moves)
                    print(f'{len(found)} moves of a drag: a picture with the arm moved after '
                          f'{np.median(found):.0f} ms in the median, '
                          f'{np.percentile(found, 95):.0f} ms for 95 %', flush=True)
        return widths(node, server, view, robot_view, given)


if __name__ == '__main__':
    run_soak(soak, __doc__, widths=[390, 800, 1280, 1920], moves=1000, pictures=Path)
