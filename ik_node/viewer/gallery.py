"""Robots that the page offers: those of installed packages, and files that users send."""

import contextlib
import importlib.util
import re
import tempfile
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ik_node.commands.ready_pose import ready_pose
from ik_node.control.options import MODEL_PATHS
from ik_node.model.readers import (
    EXTENSIONS,
    FORMATS,
    find_reader,
    read_model,
    read_robot,
    read_untrusted_model,
    read_urdf_text,
)
from ik_node.model.tree import KinematicTree
from ik_node.model.zipped_urdf import zipped_urdfs
from ik_node.support.archives import ARCHIVE
from ik_node.support.bounds import MAX_BYTES, MAX_UPLOAD_BYTES
from ik_node.support.exceptions import IkError, ModelError, shown
from ik_node.support.resources import own_robots

# Of robots of this package with several leaves.
_TIPS = {'humanoid': 'right_palm', 'torso': 'right_tool0'}
# Real robots in packages from PyPI, as file: (base link, tip link).
_REAL = {
    'example-robot-data': ('cmeel', '../cmeel.prefix/share/example-robot-data/robots', {
        'panda_description/urdf/panda.urdf': ('panda_link0', 'panda_hand_tcp'),
        'ur_description/urdf/ur5_robot.urdf': ('base_link', 'tool0'),
        'ur_description/urdf/ur10_robot.urdf': ('base_link', 'tool0'),
        'so_arm_description/urdf/so101.urdf': ('base_link', 'gripper_frame_link'),
        'baxter_description/urdf/baxter.urdf': ('torso', 'left_gripper'),
        'pr2_description/urdf/pr2.urdf': ('torso_lift_link', 'r_gripper_tool_frame'),
    }),
    'rtb-data': ('rtbdata', 'xacro', {
        'kuka_description/kuka_lbr_iiwa/urdf/lbr_iiwa_14_r820.urdf': ('base_link', 'tool0'),
        'unimation_puma560_description/urdf/puma560_robot.urdf': ('link1', 'link7'),
        'abb_irb140_description/urdf/irb140.urdf': ('base_link', 'link_6'),
    }),
}
_FINGER = 4  # joints that a finger has at most
_ARM = 4     # joints that an arm which carries fingers has at least
_MOST_CHARACTERS = 80  # of the name of a file


def robots() -> dict[str, dict[str, str]]:
    """Return the parameters of the node for every robot, by name."""
    found = {}
    for name, file in own_robots().items():
        kind = find_reader(file).name
        found[name if kind == 'URDF' else f'{name} ({kind})'] = file_parameters(
            file, tip=_TIPS.get(name, ''))
    for package, folder in _folders():
        for name, (base, tip) in _REAL[package][2].items():
            file = (folder / name).resolve()
            if file.is_file():
                found[f'{file.stem} ({package})'] = file_parameters(file, base, tip)
    return found


def thumbnail_of(name: str) -> Path:
    """Return the picture of a robot of the gallery; docs/pictures.py draws them."""
    stem = re.sub('[^a-z0-9]+', '_', name.lower()).strip('_')
    return Path(__file__).with_name('thumbnails') / f'{stem}.png'


def mesh_folders() -> list[Path]:
    """Return the folders of installed packages that the meshes of the robots are in."""
    return [folder.parent for _, folder in _folders()]


def _folders() -> list[tuple[str, Path]]:
    """Return each package that is installed, and its folder of robots."""
    return [(package, (Path(place) / below).resolve())
            for package, (module, below, _) in _REAL.items()
            if (spec := importlib.util.find_spec(module)) is not None
            for place in spec.submodule_search_locations or ()]


def file_parameters(file: Path, base: str = '', tip: str = '') -> dict[str, Any]:
    """Return the parameters that select a file, whatever the node had before."""
    return {**text_parameters('', base, tip), 'model_path': str(file)}


def text_parameters(text: str, base: str = '', tip: str = '') -> dict[str, Any]:
    """Return the parameters that select a robot by its URDF text, whatever the node had before."""
    return {**dict.fromkeys(MODEL_PATHS, ''), 'robot_description': text, 'poses': '',
            'start_pose': 'none', 'base_link': base, 'tip_link': tip, 'tool': [0.0] * 6}


def found_robot(text: str, links: tuple[str, str], name: str) -> dict[str, Any]:
    """Return the parameters of the robot of a name where that has this URDF text, else of the text.

    links: its base and its tip.
    """
    own = robots().get(name)
    with contextlib.suppress(IkError):
        if own and read_untrusted_model(Path(own['model_path'])).description == text:
            return file_parameters(Path(own['model_path']), *links)
    return text_parameters(text, *links)


def with_start(parameters: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters of a robot with a start pose that is not singular, where it has one."""
    with contextlib.suppress(IkError):  # which the node reports
        file = Path(parameters['model_path']) if parameters['model_path'] else None
        tree = read_urdf_text(parameters['robot_description']) if file is None else read_model(file)
        chain = tree.chain(parameters['base_link'] or None, parameters['tip_link'] or None)
        return {**parameters, 'start_pose': ready_pose(chain, file).tolist()}
    return parameters


class Uploads:
    """Files that were sent, in a `folder` that `close` removes.

    A file may come from anyone: it is read as descriptions on a topic are, so xacro is not expanded
    and no other file is read, and the meshes of an archive are read in place.
    """

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix='ik_view_')
        self.folder = Path(self._folder.name)
        self._archive: Path | None = None

    def close(self) -> None:
        """Remove all files."""
        self._folder.cleanup()

    def store(self, name: str, content: bytes) -> dict[str, Path]:
        """Store a file, an archive until the next, and return the robots in it, by name.

        Raises ModelError.
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
        file = Path(tempfile.mkdtemp(dir=self.folder)) / f'{stem}{extension}'
        file.write_bytes(content)
        if extension != ARCHIVE:
            return {file.name: file}
        try:
            found = {urdf: file / urdf for urdf in zipped_urdfs(file)}
        except ModelError:
            _remove(file)
            raise
        if self._archive is not None:
            _remove(self._archive)
        self._archive = file
        return found

    def read(self, file: Path) -> dict[str, str]:
        """Return the node's parameters, with the text of a stored robot. Raises IkError."""
        try:
            tree = read_untrusted_model(file)
        finally:
            if file.is_file():
                _remove(file)
        return text_parameters(tree.description, tip=default_tip(tree))


def tip_of(file: Path) -> str:
    """Return the tip of the arm that a robot begins with; '' for its only one. Raises IkError."""
    own = {path: name for name, path in own_robots().items()}
    return _TIPS.get(own.get(file, '')) or default_tip(read_robot(str(file)))


def limbs(file: Path, tree: KinematicTree) -> tuple[str, ...]:
    """Return the hands, feet and head of a skeleton in its file; () of other robots."""
    return tuple(link for part in ('hand', 'foot', 'head') for link in tree.links
                 if part in link and not link.endswith('_link')) if (
                     file.suffix.lower() == '.asf') else ()


def limb_parameters(links: Iterable[str]) -> dict[str, str]:
    """Return the parameters of the tasks of limbs, which are called like these."""
    return {f'{link}.{field}': value for link in links
            for field, value in (('type', 'position'), ('link', link))}


def default_tip(tree: KinematicTree) -> str:
    """Return the tip of the arm with most joints; '' where the tree has a tip of its own.

    Fingers do not count: the tip is then the link that carries them.
    """
    with contextlib.suppress(IkError):
        tree.chain()
        return ''
    arms = [tree.path(tree.root, leaf) for leaf in tree.leaves()]
    moved = {joint.child for arm in arms for k, joint in enumerate(arm)
             if any(one.moves for one in arm[k:])}  # by their joint, or what they carry
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
