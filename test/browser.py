"""A real browser, headless, on the page of a view."""

import contextlib
import shutil
import threading
import time
from types import SimpleNamespace

import numpy as np
import pytest

viser = pytest.importorskip('viser', reason='viser is not installed (make test brings it)')
playwright = pytest.importorskip('playwright.sync_api',
                                 reason='playwright is not installed (make test brings it)')

from ik_node.viewer.page_server import PageServer
from ik_node.viewer.robot_view import RobotView
from ik_node.viewer.view import View

CHROMIUM = shutil.which('chromium') or shutil.which('chromium-browser')
_SWITCHES = ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader',
             '--enable-unsafe-swiftshader', '--disable-background-networking',
             '--disable-component-update', '--disable-sync', '--no-first-run', '--disable-quic']
_PATIENCE = 120000  # ms that a click may take where the processor renders
_SIZE = {'width': 1100, 'height': 700}


@contextlib.contextmanager
def page_of(port, size=None, prepare=None):
    """Open a page in Chromium; skip where there is none. Yields (page, what its console says)."""
    if CHROMIUM is None:
        pytest.skip('Chromium is not installed (Debian: apt install chromium)')
    with playwright.sync_playwright() as p:
        browser = p.chromium.launch(executable_path=CHROMIUM, args=_SWITCHES)
        page = browser.new_page(viewport=size or _SIZE)
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
    server = PageServer('127.0.0.1', 8200)
    news = threading.Event()
    made = [RobotView(server, changed=news.set, domain_id=domain_id, **arguments)
            for arguments in robot_views or ({'name': 'ik_node'},)]
    view = View(server, made, news)
    painter = threading.Thread(target=view.run, daemon=True)
    painter.start()
    try:
        yield server, view, made
    finally:
        view.close()
        painter.join(5.0)
        server.stop()


def until(done, timeout=60.0, page=None):
    """Wait until a condition holds; return whether it did."""
    deadline = time.monotonic() + timeout
    while not done():
        if time.monotonic() > deadline:
            return False
        if page is None:
            time.sleep(0.05)
        else:
            page.wait_for_timeout(50)  # lets the page's events come in
    return True


def pixel(page, client, point):
    """Return where a point (3,), m, of the scene is on the page, pixels.

    The size of the picture is asked of the page: that of viser's camera is in the pixels that are
    drawn, and the page draws fewer of them where it is slow.
    """
    camera, (width, height) = client.camera, page.evaluate(_PICTURE)
    w, x, y, z = camera.wxyz
    R = np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                  [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                  [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]])
    right, down, ahead = R.T @ (np.asarray(point) - camera.position)
    focal = 0.5 * height / np.tan(0.5 * camera.fov)
    return np.array([0.5 * width + focal * right / ahead, 0.5 * height + focal * down / ahead])


def drag(page, start, end, steps=12, hover=300):
    """Drag the mouse from one pixel to another. hover: ms before the button is pressed."""
    page.mouse.move(*start)
    page.wait_for_timeout(hover)
    page.mouse.down()
    for share in np.linspace(0.0, 1.0, steps + 1)[1:]:
        page.mouse.move(*(start + share * (end - start)))
        page.wait_for_timeout(60)
    page.mouse.up()


def drag_handle(page, view, ends, task=''):
    """Drag the handle of the arm's goal, or of a task; ends: returns where from and to, pixels.

    Where the processor renders, the handle may not know yet that the mouse is over it; the drag
    then turns the camera, and another one is needed that waits longer for it. Notifications, which
    may lie over the handle, stay while the mouse is over them.
    """
    gizmo = view._handles.named(task)
    T, name = gizmo.T, gizmo._handle.name
    assert until(lambda: np.allclose(drawn(page)[name], T, atol=1e-4), 60.0, page)
    for attempt in range(10):
        page.evaluate(CLOSE_NOTIFICATIONS)
        drag(page, *ends(), hover=300 * (1 + attempt))
        if until(lambda: np.linalg.norm(gizmo.T[:3, 3] - T[:3, 3]) > 0.05, 6.0, page):
            return
    raise AssertionError('the handle does not move')


CLOSE_NOTIFICATIONS = """() => document.querySelectorAll('.mantine-Notification-closeButton')
  .forEach(button => button.click())"""
_PICTURE = """() => {
  const picture = window.__viserMutable.canvas;
  return [picture.clientWidth, picture.clientHeight];
}"""
_MATRICES = """() => Object.entries(window.__viserMutable.nodeRefFromName)
  .filter(([name, object]) => object)
  .map(([name, object]) => {
    object.updateWorldMatrix(true, false);
    return [name, object.matrixWorld.elements.slice()];
  })"""


def drawn(page):
    """Return where three.js draws the nodes of the scene: {name: (4, 4), m, in the scene}."""
    T_world = {name: np.reshape(elements, (4, 4)).T
               for name, elements in page.evaluate(_MATRICES)}
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
        page.get_by_role('button', name='Home').click()
        assert until(done.is_set, 60.0, page)
    finally:
        del view._home


def open_folder(page, name, inside):
    """Open a folder of the panel; inside: a locator of something in it.

    A click on a folder that is moved by another one, which opens or closes, may miss it.
    """
    _toggle(page, name, lambda: inside.filter(visible=True).count() > 0)


def close_folder(page, name, inside):
    """Close a folder of the panel; inside: as for `open_folder`."""
    _toggle(page, name, lambda: inside.filter(visible=True).count() == 0)


def _toggle(page, name, done):
    for _ in range(6):
        page.get_by_text(name, exact=True).first.click()
        if until(done, 10.0, page):
            return
    raise AssertionError(f'the folder {name!r} neither opens nor closes')


def in_red(page, text):
    """Tell whether a text is on the page, in the red of errors."""
    told = page.get_by_text(text).first
    return told.count() and told.evaluate(
        'shown => getComputedStyle(shown).color') == 'rgb(208, 52, 44)'


def choose(page, value, wanted):
    """Choose from the dropdown that shows a value now.

    A click on a list that still opens or closes chooses nothing; then another one is needed.
    """
    for _ in range(6):
        page.locator(f'input[value="{value}"]').first.click()
        page.get_by_role('option', name=wanted, exact=True).click()
        if until(lambda: page.locator(f'input[value="{wanted}"]').count(), 5.0, page):
            return
        page.keyboard.press('Escape')
    raise AssertionError(f'{wanted!r} cannot be chosen')


def user_presses(widget):
    """Call what a user's press of a button, or a change of a value, calls; without a page."""
    for callback in widget._impl.update_cb:
        callback(SimpleNamespace(client=SimpleNamespace(), target=widget))


def user_chooses(widget, value):
    """Choose a value of a widget, as a user does."""
    widget._impl.value = value
    user_presses(widget)
