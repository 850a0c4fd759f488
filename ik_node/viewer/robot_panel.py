"""Chooses the robot: one of the gallery, in a file of the user, or to download."""

import base64
import functools
import html
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import viser

from ik_node.control.options import model_path
from ik_node.model.readers import EXTENSIONS, read_model, read_urdf_text
from ik_node.ros.parameters import NONE
from ik_node.support.downloads import INSTALL, Download, described_place, described_robots
from ik_node.support.exceptions import IkError
from ik_node.support.processes import start_thread
from ik_node.viewer.draft import on_user_change
from ik_node.viewer.gallery import (
    Uploads,
    default_tip,
    file_parameters,
    limb_parameters,
    limbs,
    mesh_folders,
    robots,
    thumbnail_of,
    with_start,
)
from ik_node.viewer.latest_value import errors_shown
from ik_node.viewer.panel import Page, Panel
from ik_node.viewer.task_panel import ARM_SOLVER, set_tasks

_OTHER = 'another robot'  # than those of the gallery
OPEN = 'Open a file …'
_NONE = 'choose …'


class RobotPanel(Panel):
    """The gallery, a button that opens a file, dropping on the page, and robots to download."""

    needs = 'node'

    def __init__(self, page: Page) -> None:
        self._uploads = Uploads()
        for robot_view in page.robot_views:
            for folder in (*mesh_folders(), self._uploads.folder):
                robot_view.places.add(folder)
        self._found: dict[str, Path] = {}  # robots of the last archive
        self._download: Download | None = None
        self._opening = threading.Lock()
        self._gallery = robots()
        gui = page.server.gui
        robot: Any = gui.add_dropdown('robot', (_OTHER, *self._gallery),
                                      hint='load another robot into the node')
        self._pictures = gui.add_html(_tiles(self._gallery))
        self._button: Any = gui.add_upload_button(
            OPEN, color='blue',
            hint=f'a robot of yours: {", ".join(EXTENSIONS)}; or drop it on the page')
        self._zipped: Any = gui.add_dropdown('in the zip', (_NONE,), visible=False,
                                             hint='the robots of the archive')
        super().__init__(page, 'Download a robot')
        available = described_robots()
        self._names = {f'{name.removesuffix("_description")} ({text})': name
                       for name, text in available.items()}
        with self._folder:
            gui.add_markdown('Robots of `robot_descriptions`, downloaded with git.' if available
                             else 'Some hundred robots more are in a package of Python; install it '
                             f'and start `ik_view` again:\n\n`{INSTALL}`')
            self._described: Any = gui.add_dropdown('name', (_NONE, *self._names),
                                                    visible=bool(available))
            self._progress = gui.add_markdown('', visible=False)
            self._cancel = gui.add_button('Cancel', visible=False)
        self._robot = self._node_widget('robot', robot, self._find_name, self._choose,
                                        self._robot_view.name)
        self._button.on_upload(lambda event: self._upload(event.target.value))
        on_user_change(self._zipped, self._choose_zipped)
        on_user_change(self._described, self._start_download)
        self._cancel.on_click(lambda _: self._cancel_download())

    def _refresh(self, visible: bool) -> None:
        self._robot.visible = self._pictures.visible = visible
        self._button.visible = visible or self._page.is_staged  # what is dropped needs it
        self._zipped.visible = visible and bool(self._found)

    def close(self) -> None:
        """End a download, and remove the files."""
        self._cancel_download()
        self._uploads.close()
        super().close()

    def _find_name(self) -> str | None:
        """Return the name of the node's robot in the gallery; None while another one is loaded."""
        parameters = self._robot_view.parameters
        file = model_path(parameters)
        return None if parameters.switching else next(
            (name for name, one in self._gallery.items() if one['model_path'] == file), _OTHER)

    def _choose(self, name: str) -> None:
        if name in self._gallery:
            self._load(self._gallery[name])

    def _upload(self, file: viser.UploadedFile) -> None:
        with self._opening, errors_shown(self._notify):
            self._page.check_shown()
            found = self._uploads.store(file.name, file.content)
            self._found = found if len(found) > 1 else {}
            self._zipped.options = (_NONE, *self._found)
            self._zipped.visible = bool(self._found)
            name, path = next(iter(found.items()))
            if self._open(path) and self._found:
                self._zipped.value = name

    def _choose_zipped(self, name: str) -> None:
        with self._opening:
            if name in self._found:
                self._open(self._found[name])

    def _open(self, file: Path) -> bool:
        """Open a robot that was sent; return whether the nodes take it."""
        with errors_shown(self._notify, f'{file.name} is not opened'):
            parameters = self._uploads.read(file)
            self._load(parameters, limbs(file, read_urdf_text(parameters['robot_description'])))
            return True
        return False

    def _load(self, parameters: dict[str, str], tasks: tuple[str, ...] = ()) -> None:
        """Give a robot to all nodes, at its start pose and without tasks of the one before.

        tasks: limbs that get one each. Raises IkError with a node's refusal.
        """
        if not self._robot_view.parameters.moves_root:  # whose body has more joints
            with self._robot_view.state.working('finding a start pose'):
                parameters = with_start(parameters)
        for robot_view in self._page.robot_views:
            arm = robot_view.parameters.choosing(ARM_SOLVER) if robot_view.tasks else {}
            robot_view.load({**parameters, **arm, 'tasks': NONE} if arm else parameters)
        for robot_view in self._page.robot_views:
            if not robot_view.state.is_stopped:
                with errors_shown(self._notify):
                    robot_view.go_home()  # not with the values of joints of the same names
            if tasks and not robot_view.arm:
                set_tasks(robot_view, tasks, limb_parameters(tasks))

    def _start_download(self, choice: str) -> None:
        name = self._names.get(choice)
        if name is not None:
            self._cancel_download()
            with errors_shown(self._notify):
                self._download = Download(name)
                start_thread(functools.partial(self._follow, self._download), f'download {name}',
                             self._notify)

    def _follow(self, download: Download) -> None:
        def show(text: str) -> None:
            if download is self._download:
                self._progress.content = f'{download.name}: {text}' if text else ''
                self._progress.visible = self._cancel.visible = bool(text)
        show('downloading …')
        try:
            file = download.wait(show)
            show('reading …')
            tip = default_tip(read_model(file))
            for robot_view in self._page.robot_views:
                robot_view.places.add(described_place(file))
            with self._opening:
                self._load(file_parameters(file, tip=tip))
        except (IkError, OSError) as error:
            self._notify(str(error))
            if download is self._download:
                self._described.value = _NONE  # it can be chosen again
        finally:
            show('')

    def _cancel_download(self) -> None:
        if self._download is not None:
            self._download.cancel()


def _tiles(names: Iterable[str]) -> str:
    """Return the pictures of robots, which choose them in the list of robots where pressed."""
    return '<div class="ik-gallery">' + ''.join(
        f'<button title="{html.escape(name)}" onclick="ikChoose(this)"><img alt="" src="data:'
        f'image/png;base64,{base64.b64encode(thumbnail_of(name).read_bytes()).decode()}">'
        f'{html.escape(name.partition(" (")[0])}</button>'
        for name in names if thumbnail_of(name).is_file()) + '</div>'
