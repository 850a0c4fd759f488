"""A real browser, headless, on the page of a view."""

import contextlib
import io
import shutil
import threading
import time

import numpy as np
import pytest
from PIL import Image

from harness import page_here

playwright = pytest.importorskip('playwright.sync_api',
                                 reason='playwright is not installed (make test brings it)')

from ik_node.viewer.robot_view import RobotView
from ik_node.viewer.view import View

CHROMIUM = shutil.which('chromium') or shutil.which('chromium-browser')
_SWITCHES = ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader',
             '--enable-unsafe-swiftshader', '--disable-background-networking',
             '--disable-component-update', '--disable-sync', '--no-first-run', '--disable-quic']
_PATIENCE = 120000  # ms that a click may take where the processor renders
_LONGEST = 180.0    # s that clicks and drags are repeated
_NEAR = 15          # pixels around the mouse
_SIZE = {'width': 1100, 'height': 700}


@contextlib.contextmanager
def page_of(port, size=None, prepare=None, scale=1.0, is_phone=False):
    """Open a page in Chromium; skip where there is none. Yields (page, what its console says).

    scale: the pixels of the screen by those of the page. is_phone: as on a phone, which is touched.
    """
    if CHROMIUM is None:
        pytest.skip('Chromium is not installed (Debian: apt install chromium)')
    with playwright.sync_playwright() as p:
        browser = p.chromium.launch(executable_path=CHROMIUM, args=_SWITCHES)
        page = browser.new_page(viewport=size or _SIZE, device_scale_factor=scale,
                                is_mobile=is_phone, has_touch=is_phone)
        page.set_default_timeout(_PATIENCE)
        said = []
        page.on('console', lambda message: said.append((message.type, message.text)))
        page.on('pageerror', lambda error: said.append(('error', str(error))))
        page.on('requestfailed', lambda request: said.append(('error', request.url)))
        if prepare:
            page.add_init_script(prepare)
        page.goto(f'http://127.0.0.1:{port}')
        try:
            yield page, said
        finally:
            browser.close()


@contextlib.contextmanager
def view_of(domain_id, *robot_views):
    """Run a view in this process; robot_views: arguments of each.

    Yields (server, view, robot_views).
    """
    news = threading.Event()
    with page_here.viser_server() as server:
        made = [RobotView(server, changed=news.set, domain_id=domain_id, **arguments)
                for arguments in robot_views or ({'name': 'ik_node'},)]
        with _painted(View(server, made, news)) as view:
            yield server, view, made


@contextlib.contextmanager
def view_on(node):
    """Run a view of a node that is not there, see FakeNode. Yields (server, view, robot_view)."""
    news = threading.Event()
    with page_here.viser_server() as server:
        robot_view = page_here.robot_view_of(server, node, 'ik_node', changed=news.set)
        with _painted(page_here.view_of(server, [robot_view], news)) as view:
            yield server, view, robot_view


@contextlib.contextmanager
def _painted(view):
    painter = threading.Thread(target=view.run, daemon=True)
    painter.start()
    try:
        yield view
    finally:
        view.close()
        painter.join(60.0)


def until(done, timeout=60.0, page=None):
    """Wait until a condition holds; return whether it did within a timeout, s."""
    deadline = time.monotonic() + timeout
    while not done():
        if time.monotonic() > deadline:
            return False
        if page is None:
            time.sleep(0.01)
        else:
            frame(page)
    return True


def frame(page):
    """Wait until the page has drawn a frame, and let its events come in."""
    page.evaluate(_FRAME)


def first_picture(page, view):
    """Wait until robot and handles are in the picture of a view of a node."""
    page.wait_for_function('window.__viserMutable !== undefined')
    robot = view._robot_views[0]
    assert until(lambda: robot.tree is not None and view.page.handles._gizmos
                 and view._server.get_clients(), 120.0, page)
    names = {gizmo._handle.name for gizmo in view.page.handles._gizmos.values()}
    names |= {link.name for link in robot._frames.values()}
    assert until(lambda: names <= drawn(page).keys(), 120.0, page), names - drawn(page).keys()
    frame(page)


def picture(page, **clip):
    """Return what the page shows, (height, width, 3); clip: x, y, width and height, pixels."""
    shot = page.screenshot(clip=clip) if clip else page.screenshot()
    return np.asarray(Image.open(io.BytesIO(shot)).convert('RGB'), float)


def picture_size(page):
    """Return width and height of the picture of the scene, pixels of the page."""
    return page.evaluate("""() => {
      const picture = window.__viserMutable.canvas;
      return [picture.clientWidth, picture.clientHeight];
    }""")


def pixel(page, client, point):
    """Return where a point (3,), m, of the scene is on the page, pixels.

    The size of the picture is asked of the page: that of viser's camera is in the pixels that are
    drawn, and the page draws fewer of them where it is slow.
    """
    camera, (width, height) = client.camera, picture_size(page)
    w, x, y, z = camera.wxyz
    R = np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                  [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                  [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]])
    right, down, ahead = R.T @ (np.asarray(point) - camera.position)
    focal = 0.5 * height / np.tan(0.5 * camera.fov)
    return np.array([0.5 * width + focal * right / ahead, 0.5 * height + focal * down / ahead])


def arrow_length(page, view, task=''):
    """Return how far from the middle of a handle its arrows are grabbed, m, at its depth."""
    gizmo, client = view.page.handles.named(task), next(iter(view._server.get_clients().values()))
    origin = gizmo.T[:3, 3]
    ahead = np.subtract(client.camera.look_at, client.camera.position)
    depth = (origin - client.camera.position) @ ahead / np.linalg.norm(ahead)
    _, height = picture_size(page)
    return 0.85 * gizmo._handle.scale * 2.0 * depth * np.tan(0.5 * client.camera.fov) / height


def drag(page, start, end, steps=12):
    """Drag the mouse from one pixel to another."""
    page.mouse.move(*start)
    frame(page)
    page.mouse.down()
    for share in np.linspace(0.0, 1.0, steps + 1)[1:]:
        page.mouse.move(*(start + share * (end - start)))
        frame(page)
    page.mouse.up()


def drag_handle(page, view, ends, task=''):
    """Drag the handle of the arm's goal, or of a task, until it has moved by 5 cm.

    ends: returns where from and to, pixels. The button is pressed once the handle shows that the
    mouse is over it. Notifications, which may lie over the handle, stay while the mouse is over
    them.
    """
    gizmo = view.page.handles.named(task)
    T, name = gizmo.T, gizmo._handle.name
    assert until(lambda: np.allclose(drawn(page)[name], T, atol=1e-4), 120.0, page)
    end = time.monotonic() + _LONGEST
    while np.linalg.norm(gizmo.T[:3, 3] - T[:3, 3]) < 0.05:
        assert time.monotonic() < end, f'the handle of {task or "the goal"!r} does not move'
        page.evaluate(CLOSE_NOTIFICATIONS)
        page.mouse.move(0, 0)
        frame(page)
        start, stop = ends()
        page.mouse.move(*start)
        if until(lambda at=start: _is_grabbed(page, at), 10.0, page):
            drag(page, start, stop)
            until(lambda: np.linalg.norm(gizmo.T[:3, 3] - T[:3, 3]) > 0.05, 5.0, page)


def _is_grabbed(page, at):
    """Return whether the handle under the mouse has the yellow that it has then."""
    x, y = at
    red, green, blue = np.moveaxis(picture(
        page, x=x - _NEAR, y=y - _NEAR, width=2 * _NEAR, height=2 * _NEAR), 2, 0)
    return ((red > 200.0) & (green > 200.0) & (blue < 150.0)).sum() > _NEAR


CLOSE_NOTIFICATIONS = """() => document.querySelectorAll('.mantine-Notification-closeButton')
  .forEach(button => button.click())"""
_FRAME = '() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))'
_MATRICES = """() => Object.entries(window.__viserMutable.nodeRefFromName)
  .filter(([name, object]) => object)
  .map(([name, object]) => {
    object.updateWorldMatrix(true, false);
    return [name, object.matrixWorld.elements.slice()];
  })"""


def drawn(page):
    """Return where three.js draws the nodes of the scene: {name: (4, 4), m, in the scene}."""
    T_world = {name: np.reshape(elements, (4, 4)).T for name, elements in page.evaluate(_MATRICES)}
    T_scene_world = np.linalg.inv(T_world[''])
    return {name: T_scene_world @ T for name, T in T_world.items()}


def press_home(page, view):
    """Press Home, and wait until the node has answered and the handles are released."""
    home, done = view._home, threading.Event()

    def observed():
        home()
        done.set()
    view._home = observed
    try:
        open_tab(page, 'Move')
        page.get_by_role('button', name='Home', exact=True).click()
        assert until(done.is_set, 60.0, page)
    finally:
        del view._home


def open_tab(page, name):
    page.get_by_text(name, exact=True).first.click()


def open_folder(page, name, inside):
    """Open a folder of the panel; inside: a locator of something in it.

    A click on a folder that is moved by another one, which opens or closes, may miss it.
    """
    end = time.monotonic() + _LONGEST
    while not inside.filter(visible=True).count():
        assert time.monotonic() < end, f'the folder {name!r} does not open'
        page.get_by_text(name, exact=True).first.click()
        until(lambda: inside.filter(visible=True).count() > 0, 10.0, page)


def field(page, label):
    """Return the input beside a label that is in sight, of several the last."""
    return page.get_by_text(label, exact=True).filter(visible=True).last.locator(
        'xpath=ancestor::div[contains(@class, "Flex-root")][1]//input').first


def choose(page, label, wanted):
    """Choose from the dropdown beside a label.

    A click on a list that still opens or closes chooses nothing; then another one is needed.
    """
    end, shown = time.monotonic() + _LONGEST, field(page, label)
    while shown.input_value() != wanted:
        assert time.monotonic() < end, f'{wanted!r} cannot be chosen at {label!r}'
        shown.click()
        page.get_by_role('option', name=wanted, exact=True).click()
        if not until(lambda: shown.input_value() == wanted, 10.0, page):
            page.keyboard.press('Escape')
