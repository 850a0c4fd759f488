"""Robots in files that users of the page send."""

import contextlib
import re
import tempfile
import threading
from collections import Counter
from pathlib import Path

from ik_node.model.readers import EXTENSIONS, FORMATS, read_untrusted_model
from ik_node.model.tree import KinematicTree
from ik_node.model.zipped_urdf import zipped_urdfs
from ik_node.support.archives import ARCHIVE
from ik_node.support.bounds import MAX_BYTES, MAX_UPLOAD_BYTES
from ik_node.support.exceptions import IkError, ModelError, shown
from ik_node.viewer.gallery import text_parameters

_FINGER = 4  # joints that a finger has at most
_ARM = 4     # joints that an arm which carries fingers has at least
_MOST_CHARACTERS = 80  # of the name of a file


class Uploads:
    """Files that were sent, in a folder that `close` removes. Safe to use from any thread.

    A file may come from anyone: it is read as descriptions on a topic are, so xacro is not expanded
    and no other file is read, and the meshes of an archive are read in place.
    """

    def __init__(self) -> None:
        """Make the folder."""
        self._folder = tempfile.TemporaryDirectory(prefix='ik_view_')
        self._lock = threading.Lock()
        self._archive: Path | None = None

    @property
    def folder(self) -> Path:
        """The folder that they are in."""
        return Path(self._folder.name)

    def close(self) -> None:
        """Remove all files."""
        self._folder.cleanup()

    def store(self, name: str, content: bytes) -> dict[str, Path]:
        """Store a file, and return the robots in it: name → path. Raises ModelError.

        An archive is kept until the next one comes, since its meshes are read from it.
        """
        extension = Path(name).suffix.lower()
        if extension not in EXTENSIONS:
            raise ModelError(f'{shown(name)} is no robot; the page opens {FORMATS}; several files '
                             'belong in one zip')
        most = MAX_UPLOAD_BYTES if extension == ARCHIVE else MAX_BYTES
        if len(content) > most:
            raise ModelError(f'{shown(name)} has {len(content) / 2**20:.0f} MiB; at most '
                             f'{most // 2**20} MiB are allowed')
        stem = re.sub(r'[^\w-]', '_', Path(name).stem)[:_MOST_CHARACTERS] or 'robot'
        file = Path(tempfile.mkdtemp(dir=self._folder.name)) / f'{stem}{extension}'
        file.write_bytes(content)
        if extension != ARCHIVE:
            return {file.name: file}
        try:
            found = {urdf: file / urdf for urdf in zipped_urdfs(file)}
        except ModelError:
            _remove(file)
            raise
        with self._lock:
            last, self._archive = self._archive, file
        if last is not None:
            _remove(last)
        return found

    def read(self, file: Path) -> dict[str, str]:
        """Return the node's parameters for a robot that was stored. Raises IkError.

        The node gets the text of the robot, not its path; only an archive is still needed then.
        """
        try:
            tree = read_untrusted_model(file)
        finally:
            if file.is_file():
                _remove(file)
        return text_parameters(tree.description, tip=default_tip(tree))


def default_tip(tree: KinematicTree) -> str:
    """Return the tip of the arm with most joints; '' where the tree has a tip of its own.

    Fingers do not count: the tip is then the link that carries them.
    """
    with contextlib.suppress(IkError):
        tree.chain()
        return ''
    arms = [tree.path(tree.root, leaf) for leaf in tree.leaves()]
    moving = [[joint.moves for joint in arm] for arm in arms]
    moved = {joint.child for arm, moves in zip(arms, moving)
             for k, joint in enumerate(arm) if any(moves[k:])}  # by their joint, or what they carry
    branches = Counter(joint.parent for joint in tree.joints.values() if joint.child in moved)
    arm = max(arms, key=lambda one: sum(joint.moves for joint in one))
    before, after, tip = sum(joint.moves for joint in arm), 0, arm[-1].child if arm else ''
    for joint in reversed(arm):
        before, after = before - joint.moves, after + joint.moves
        if after > _FINGER or before < _ARM:
            break
        if branches[joint.parent] > 1:
            tip = joint.parent
    return tip


def _remove(file: Path) -> None:
    file.unlink(missing_ok=True)
    file.parent.rmdir()
