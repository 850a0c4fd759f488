"""The page in the test's own process, on nodes that are not there, as its users see it.

The server of viser is the real one, without a browser: it starts in 5 ms, and its widgets and scene
nodes keep what they were told. A stand-in for its API would be longer than these tests need, and
would not change with it. Widgets are found by their labels, and used as a browser's messages use
them.
"""

import asyncio
import contextlib
import html
import inspect
import io
import re
import threading
import time
import weakref
from types import SimpleNamespace
from unittest.mock import patch

import numpy as np
import pytest

viser = pytest.importorskip('viser', reason='viser is not installed (make test brings it)')
pytest.importorskip('rclpy', reason='ROS 2 is not installed (make test brings it from PyPI)')

import robots
from harness.fake_node import FakeNode, FakePlayer
from ik_node.viewer.latest_value import LatestValue
from ik_node.viewer.page_server import PageServer
from ik_node.viewer.robot_view import RobotView
from ik_node.viewer.scene_nodes import matrix, position_wxyz
from ik_node.viewer.view import View

_LONGEST = 60.0  # s until an event, at most
_POLL = 0.002    # s between two looks


class Browser:
    """A browser without a page: its camera is what was set, and what it was sent is kept."""

    def __init__(self, width=1600, height=1080):
        self.camera = SimpleNamespace(
            image_width=width, image_height=height, fov=np.radians(75.0), position=np.zeros(3),
            look_at=np.zeros(3))
        self.atomic = contextlib.nullcontext
        self.notifications, self.colors, self.downloads = [], [], []
        self.messages = []  # those that are still shown
        self.pictures = lambda: np.zeros((4, 6, 3), np.uint8)

    def add_notification(self, title, line, color, **_):
        self.notifications.append(line)
        self.colors.append(color)
        self.messages.append(line)
        return SimpleNamespace(remove=lambda: self.messages.remove(line))

    def send_file_download(self, name, content, **_):
        self.downloads.append((name, content))

    def get_render(self, height, width, **_):
        return self.pictures()

    def sees(self, T):
        """Tell whether a pose is in the picture."""
        camera = self.camera
        back = np.subtract(camera.position, camera.look_at)
        back /= np.linalg.norm(back)
        right = np.cross((0.0, 0.0, 1.0), back)
        right /= np.linalg.norm(right)
        x, y, z = np.array([right, np.cross(back, right), -back]) @ (T[:3, 3] - camera.position)
        upright = z * np.tan(0.5 * camera.fov)
        across = upright * camera.image_width / camera.image_height
        return bool(z > 0.0 and abs(y) < upright and abs(x) < across)


def until(done):
    """Wait until a condition holds; return whether it did within a minute."""
    end = time.monotonic() + _LONGEST
    while not done():
        if time.monotonic() > end:
            return False
        time.sleep(_POLL)
    return True


@contextlib.contextmanager
def viser_server():
    """Run a server on a port of its own, without its banner."""
    with contextlib.redirect_stdout(io.StringIO()):
        server = PageServer('127.0.0.1', 0)
    try:
        yield server
    finally:
        with contextlib.redirect_stdout(io.StringIO()):
            server.stop()


def robot_view_of(server, node, name, arm='', changed=lambda: None):
    """Return the view of a node, see FakeNode, in the scene of a server."""
    with patch('ik_node.viewer.node_link.Connection', node.connect):
        return RobotView(server, name, changed=changed, arm=arm)


def view_of(server, robot_views, news, player=None):
    """Return the page of nodes; player: see FakePlayer. news: set when there is one to paint."""
    with patch('ik_node.viewer.view.PlayerLink', (player or FakePlayer()).connect):
        return View(server, robot_views, news)


def placed(scene, link):
    """Return where a link is in the scene (4, 4), by way of all the frames above it."""
    T = np.eye(4)
    while link is not None:
        frame = scene._frames[link]
        T = matrix(frame.position, frame.wxyz) @ T
        link = scene._parents.get(link)
    return T


def moved(page, by=-0.05):
    """Return the pose of the handle, moved along z."""
    T = page.handle().T.copy()
    T[2, 3] += by
    return T


def panel_of(view, title):
    """Return the panel of a page whose folder has this title."""
    return next(panel for panel in view._panels if panel._folder.label == title)


class Page:
    """The page of nodes, painted when the test says so.

    - `node`, `robot_view`: the first. `nodes`, `robot_views`: all of them.
    - `player`: see FakePlayer.
    - `browser`: one that looks at the page. `browsers`: all, by number.
    """

    def __init__(self, server, nodes, names, arm, player, workers):
        self.server, self.nodes, self.node = server, nodes, nodes[0]
        self.browser, self.player, self._workers = Browser(), player, workers
        self.browsers = {1: self.browser}
        server.get_clients = lambda: self.browsers
        self.robot_views = [robot_view_of(server, node, name, arm)
                            for node, name in zip(nodes, names)]
        self.robot_view = self.robot_views[0]
        self.view = view_of(server, self.robot_views, SimpleNamespace(set=lambda: None), player)

    def update(self):
        """Paint once what has arrived, as the painter's thread does."""
        self.view._draw(has_tables=True)

    def settle(self):
        """Let the panels' threads end what they do, and paint it."""
        idle, end = 0, time.monotonic() + _LONGEST
        while idle < 2:  # what is painted may give a thread something to do
            assert time.monotonic() < end, f'the threads of the panels never rest: {self.told}'
            self.until(lambda: not self._busy(), 'the threads of the panels rest')
            self.update()
            idle = 0 if self._busy() else idle + 1

    def until(self, done, what='it happens'):
        """Paint until a condition holds, which `what` says in words."""
        def painted():
            if done():
                return True
            self.update()
            return False
        assert until(painted), f'not within {_LONGEST:g} s: {what}; the page: {self.text()!r}'

    def _busy(self):
        # A copy: panels begin workers meanwhile.
        workers = [worker() for worker in list(self._workers)]
        return any(worker.busy for worker in workers if worker is not None)

    def widgets(self):
        """Return all widgets, as {labels of the folders, its own label: widget}, in order."""
        return list(self._below(self.server.gui._container_handle_from_uuid['root'], (), True))

    def _below(self, container, path, shown):
        for tab in getattr(container, '_tab_handles', ()):  # their names are no part of a path
            yield from self._below(tab, path[:-1], shown)
        for widget in getattr(container, '_children', {}).values():
            here = (*path, getattr(widget, 'label', ''))
            visible = shown and getattr(widget, 'visible', True)
            yield here, widget, visible
            if hasattr(widget, '_children') or hasattr(widget, '_tab_handles'):
                yield from self._below(widget, here, visible)

    def widget(self, *labels):
        """Return the first widget with a label, the last one, below folders of the others."""
        found = [widget for path, widget, _ in self.widgets()
                 if path[-1] == labels[-1] and set(labels) <= set(path)]
        assert found, f'there is no {labels}; there are {[path for path, *_ in self.widgets()]}'
        return min(found, key=lambda widget: hasattr(widget, '_children'))  # folders come last

    def shows(self, *labels):
        """Tell whether there is such a widget and it is shown, with the folders around it."""
        return any(visible for path, _, visible in self.widgets()
                   if path[-1] == labels[-1] and set(labels) <= set(path))

    def text(self, *labels):
        """Return the texts that are shown, with the tags taken away; labels: of folders."""
        texts = [widget.content for path, widget, visible in self.widgets() if visible
                 and set(labels) <= set(path) and isinstance(getattr(widget, 'content', None), str)]
        return html.unescape(re.sub(r'<[^>]*>', ' ', '\n'.join(
            text for text in texts if not text.startswith('<style'))))

    def command(self):
        """Return the command that is shown to be copied."""
        return html.unescape(re.search(r'<code>(.*?)</code>', '\n'.join(
            widget.content for _, widget, visible in self.widgets()
            if visible and isinstance(getattr(widget, 'content', None), str)))[1])

    def press(self, *labels):
        """Press a button, and let the panels do what that asks for."""
        self.begin(*labels)
        self.settle()

    def set(self, **values):
        """Set parameters of the node as another client does, and let the page follow."""
        self.node.set(**values)
        self.settle()

    def stand(self, values):
        """Move the robot to joint values, and let the page follow."""
        self.node.stand(values)
        self.settle()

    def undo(self):
        """Take a step back, and let the panels do what that asks for."""
        self.view.page.history.undo()
        self.settle()

    def redo(self):
        """Take a step again, and let the panels do what that asks for."""
        self.view.page.history.redo()
        self.settle()

    def begin(self, *labels):
        """Press a button that begins what the test ends."""
        self._fire(self.widget(*labels))

    def choose(self, *labels, value):
        """Set a value as a user does, and let the panels do what that asks for."""
        self.put(*labels, value=value)
        self.settle()

    def put(self, *labels, value):
        """Set a value as a user does."""
        widget = self.widget(*labels)
        options = getattr(widget, 'options', None)
        assert options is None or value in options, f'{labels} offers {options}, not {value!r}'
        widget._impl.value = value
        self._fire(widget)

    def type(self, *labels, value):
        """Type a text into a field, and press Enter."""
        self.put(*labels, value=value)
        self.enter(*labels)

    def enter(self, *labels):
        form, api = self.widget(*labels), self.server.gui
        while not hasattr(form, '_submit_cb'):
            form = api._container_handle_from_uuid[form._impl.parent_container_id]
        event = SimpleNamespace(client=self.browser, client_id=1, target=form)
        for callback in form._submit_cb:
            _call(callback, event)
        self.settle()

    def upload(self, *labels, name, content):
        """Send a file by a button."""
        self.widget(*labels)._impl.value = viser.UploadedFile(name, content)
        self.press(*labels)

    def _fire(self, widget):
        event = SimpleNamespace(client=self.browser, client_id=1, target=widget)
        for callback in widget._impl.update_cb:
            _call(callback, event)

    def drag(self, T, task=''):
        """Drag a handle to a pose (4, 4), m, as a browser does, and let the goal be sent."""
        self.drag_on(T, task)
        self.settle()

    def drag_on(self, T, task='', phase='end'):
        """Drag a handle, and do not wait for what that brings."""
        handle = self.handle(task)._handle
        position, wxyz = position_wxyz(T)
        handle._impl.position, handle._impl.wxyz = np.array(position), np.array(wxyz)
        event = SimpleNamespace(client=self.browser, client_id=1, target=handle, phase=phase)
        for callback in handle._impl_aux.update_cb:
            _call(callback, event)

    def handle(self, task=''):
        return self.view.page.handles.named(task)

    def drawn(self, prefix):
        """Return the nodes of the scene whose names begin so."""
        return {name: node for name, node in self.server.scene._handle_from_node_name.items()
                if name.startswith(prefix)}

    @property
    def told(self):
        """The lines that the browser was notified of."""
        return self.browser.notifications

    def q(self):
        """Return the joint values (n,) of the arm, or of the body, as the page draws them."""
        return np.array([self.robot_view.values[name]
                         for name in self.robot_view.space.joint_names])


def _call(callback, event):
    called = callback(event)
    if inspect.iscoroutine(called):
        asyncio.run(called)


def save(page):
    """Save the scene; return what the browser is sent."""
    page.press('Scene', 'Save the scene')
    name, text = page.browser.downloads[-1]
    assert name == 'ik_view_scene.json'
    return text


def load(page, text):
    """Load a scene by the button, painting meanwhile."""
    button = page.widget('Scene', 'Load a scene …')
    button._impl.value = viser.UploadedFile('scene.json', text)
    while_painting(page, page._fire, button)


def while_painting(page, work, *arguments):
    """Do what waits for the painter."""
    thread = threading.Thread(target=work, args=arguments)
    thread.start()
    page.until(lambda: not thread.is_alive(), 'the scene is there')
    page.settle()


@contextlib.contextmanager
def page_of(*nodes, names=None, arm='', player=None):
    """Show nodes on a page until what each publishes and its parameters are there."""
    workers = []  # weak references
    begin = LatestValue.__init__

    def noted(worker, *arguments):
        begin(worker, *arguments)
        workers.append(weakref.ref(worker))
    names = names or [f'node_{k}' if k else 'ik_node' for k in range(len(nodes))]
    with viser_server() as server, patch.object(LatestValue, '__init__', noted):
        page = Page(server, nodes, names, arm, player or FakePlayer(), workers)
        try:
            page.settle()
            yield page
        finally:
            page.view.close()


@contextlib.contextmanager
def page_with(robot, **parameters):
    """Show a node with one of the robots of this package, by name."""
    with page_of(FakeNode(model_path=str(robots.OWN / f'{robot}.urdf'), **parameters)) as page:
        yield page
