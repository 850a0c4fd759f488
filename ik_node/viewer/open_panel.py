"""Opens robots in files of the user, and those of the package robot_descriptions."""

import functools
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import viser

from ik_node.model.readers import EXTENSIONS, read_model
from ik_node.support.downloads import INSTALL, Download, described_place, described_robots
from ik_node.support.exceptions import IkError
from ik_node.support.threads import start_thread
from ik_node.viewer.gallery import file_parameters
from ik_node.viewer.robot_view import RobotView
from ik_node.viewer.uploads import Uploads, default_tip

_OPEN = 'Open a file …'
_NONE = 'choose …'
# Gives files that are dropped on the page to the button's input. Scripts in the HTML of a panel
# are not run, but handlers of pictures are. Several files and folders are sent by a name only, so
# that they are refused as any other wrong file is.
_DROP = '''<img alt="" style="display: none"
src="data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==" onload="
if (!window.ikViewDrop) {
  window.ikViewDrop = true;
  const hasFiles = event => event.dataTransfer &amp;&amp;
    Array.from(event.dataTransfer.types).includes('Files');
  window.addEventListener('dragover', event => { if (hasFiles(event)) event.preventDefault(); });
  window.addEventListener('drop', event => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    const input = Array.from(document.querySelectorAll('input[type=file]')).find(one =>
      one.nextElementSibling &amp;&amp; one.nextElementSibling.textContent.includes('OPEN'));
    if (!input) return;
    const given = event.dataTransfer, sent = new DataTransfer();
    const item = given.items[0] &amp;&amp; given.items[0].webkitGetAsEntry();
    const wrong = given.files.length > 1 ? given.files.length + ' files'
      : item &amp;&amp; item.isDirectory ? 'the folder ' + item.name : '';
    sent.items.add(wrong ? new File([' '], wrong) : given.files[0]);
    input.files = sent.files;
    input.dispatchEvent(new Event('change', {bubbles: true}));
  });
}">'''.replace('OPEN', _OPEN)


class OpenPanel:
    """A button that opens a file, dropping on the page, and robots to download."""

    def __init__(self, server: viser.ViserServer, robot_views: list[RobotView],
                 notify: Callable[[str], None], on_opened: Callable[[], None]) -> None:
        """Make the widgets. notify: shows a line. on_opened: called for each robot opened."""
        self._robot_views, self._notify, self._on_opened = robot_views, notify, on_opened
        self._uploads = Uploads()
        for robot_view in robot_views:
            robot_view.places.add(self._uploads.folder)
        self._found: dict[str, Path] = {}  # robots of the last archive
        self._download: Download | None = None
        self._opening = threading.Lock()
        gui = server.gui
        self._button: Any = gui.add_upload_button(
            _OPEN, hint=f'a robot of yours: {", ".join(EXTENSIONS)}; or drop it on the page')
        self._button.on_upload(lambda event: self._upload(event.target.value))
        self._drop = gui.add_html(_DROP)
        self._robots: Any = gui.add_dropdown('in the zip', (_NONE,), visible=False,
                                             hint='the robots of the archive')
        self._robots.on_update(lambda event: self._choose(event))
        self._folder = gui.add_folder('Download a robot', expand_by_default=False)
        with self._folder:
            self._add_downloads(gui)

    def _add_downloads(self, gui: viser.GuiApi) -> None:
        available = described_robots()
        self._names = {f'{name.removesuffix("_description")} ({words})': name
                       for name, words in available.items()}
        gui.add_markdown('Robots of `robot_descriptions`, downloaded with git.' if available else
                         'Some hundred robots more are in a package of Python; install it and '
                         f'start `ik_view` again:\n\n`{INSTALL}`')
        self._described: Any = gui.add_dropdown('robot', (_NONE, *self._names),
                                                visible=bool(available))
        self._described.on_update(lambda event: self._start_download(event))
        self._progress = gui.add_markdown('', visible=False)
        self._cancel = gui.add_button('Cancel', visible=False)
        self._cancel.on_click(lambda _: self._cancel_download())

    @property
    def visible(self) -> bool:
        """Whether the widgets are shown."""
        return bool(self._button.visible)

    @visible.setter
    def visible(self, visible: bool) -> None:
        self._button.visible = self._drop.visible = self._folder.visible = visible
        self._robots.visible = visible and bool(self._found)

    def close(self) -> None:
        """End a download, and remove the files."""
        self._cancel_download()
        self._uploads.close()

    def _upload(self, file: viser.UploadedFile) -> None:
        with self._opening:
            try:
                found = self._uploads.store(file.name, file.content)
            except (IkError, OSError) as error:
                self._notify(str(error))
                return
            self._found = found if len(found) > 1 else {}
            self._robots.options = (_NONE, *self._found)
            self._robots.visible = bool(self._found)
            name, path = next(iter(found.items()))
            if self._open(path) and self._found:
                self._robots.value = name

    def _choose(self, event: Any) -> None:
        if event.client is None:  # set by this panel
            return
        with self._opening:
            path = self._found.get(self._robots.value)
            if path is not None:
                self._open(path)

    def _open(self, file: Path) -> bool:
        """Open a robot that was sent; return whether the nodes take it."""
        try:
            self._take(self._uploads.read(file))
        except (IkError, OSError) as error:
            self._notify(f'{file.name} is not opened: {error}')
            return False
        return True

    def _take(self, parameters: dict[str, str]) -> None:
        """Give a robot to all nodes. Raises IkError with the reason of one that refuses it."""
        for robot_view in self._robot_views:
            robot_view.take(parameters)
        self._on_opened()

    def _start_download(self, event: Any) -> None:
        name = self._names.get(self._described.value)
        if event.client is None or name is None:
            return
        self._cancel_download()
        try:
            self._download = Download(name)
        except IkError as error:
            self._notify(str(error))
            return
        start_thread(functools.partial(self._follow, self._download), f'download {name}',
                     self._notify)

    def _follow(self, download: Download) -> None:
        """Show a download, and the robot when it is there."""
        def show(words: str) -> None:
            if download is self._download:
                self._progress.content = f'{download.name}: {words}' if words else ''
                self._progress.visible = self._cancel.visible = bool(words)
        show('downloading …')
        try:
            file = download.wait(show)
            show('reading …')
            tip = default_tip(read_model(file))
            for robot_view in self._robot_views:
                robot_view.places.add(described_place(file))
            with self._opening:
                self._take(file_parameters(file, tip=tip))
        except (IkError, OSError) as error:
            self._notify(str(error))
            if download is self._download:
                self._described.value = _NONE  # it can be chosen again
        finally:
            show('')

    def _cancel_download(self) -> None:
        if self._download is not None:
            self._download.cancel()
