"""Expands xacro, with ROS or without it. xacro reads files and evaluates expressions."""

import contextlib
import re
import threading
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from ik_node.model.robot_xml import XACRO
from ik_node.support.bounds import read_bytes
from ik_node.support.exceptions import ModelError
from ik_node.support.resources import installed_package, package_path

_NAMESPACE = 'http://www.ros.org/wiki/xacro'
_FIND = re.compile(r'\$\(find\s+(\S+)\s*\)')
_lock = threading.Lock()  # the state of the package xacro is that of its module


def xacro_arguments(pairs: Iterable[str]) -> dict[str, str]:
    """Return arguments, each as name:=value, by name. Raises ModelError for others."""
    split = [pair.partition(':=') for pair in pairs]
    for name, separator, value in split:
        if not separator or not name:
            raise ModelError('an argument of a xacro file must be like name:=value, not '
                             f'{name + separator + value!r}')
    return {name: value for name, _, value in split}


def expanded(robot: ElementTree.Element, path: Path | None, arguments: Mapping[str, object],
             folders: Sequence[Path] = ()) -> str:
    """Return a robot's XML text after expansion.

    path: its file, for relative inclusions and packages near it; None for text. arguments: by
    name. folders: of packages for $(find ...), see `find_package`. Raises ModelError.
    """
    try:
        import xacro
    except ImportError as error:
        raise ModelError('reading xacro needs the package xacro: "pip install xacro", or in a '
                         'ROS 2 install ros-<distro>-xacro') from error
    mappings = {name: str(value).lower() if isinstance(value, bool) else str(value)
                for name, value in arguments.items()}
    for prefix in {name.partition(':')[0] for element in robot.iter()
                   for name in (element.tag, *element.keys()) if ':' in name} - {'xmlns', 'xml'}:
        robot.attrib.setdefault(f'xmlns:{prefix}', _NAMESPACE if prefix == XACRO else prefix)
    near = [] if path is None else path.resolve().parents
    original: Any = None

    def evaluate(text: str) -> Any:
        """Return the value of a $(...); by itself xacro finds only packages of ament."""
        found = _FIND.fullmatch(text)
        return original(text) if found is None else str(find_package(found[1], folders, near))
    try:
        with _lock:
            original, xacro.eval_extension = xacro.eval_extension, evaluate
            try:
                xacro.init_stacks(None if path is None else str(path))
                document = xacro.parse(ElementTree.tostring(robot, encoding='unicode'))
                xacro.process_doc(document, mappings=mappings)
                return str(document.toxml())
            finally:
                xacro.eval_extension = original
    except ModelError:
        raise
    except Exception as error:  # whatever a macro's own Python expressions raise
        raise ModelError(f'xacro cannot expand {str(path) if path else "the text"!r}: '
                         f'{type(error).__name__}: {error}') from error


def find_package(name: str, folders: Iterable[Path] = (), near: Iterable[Path] = ()) -> Path:
    """Return the folder of a ROS package: one of those named, or of ament, or near a file.

    folders, and those of ROS_PACKAGE_PATH: packages, or folders with packages; near: likewise, to
    be searched last. Raises ModelError, which says how to name it.
    """
    for group in (folders, installed_package(name), package_path(), near):
        candidates = [one for folder in group for one in (folder, folder / name) if one.is_dir()]
        named = [folder for folder in candidates if _declared_name(folder) == name] or [
            folder for folder in candidates if folder.name == name]
        if named:
            return named[0].resolve()
    raise ModelError(f'the package {name!r} of $(find {name}) is not found: put its folder, or the '
                     'one that it is in, into ROS_PACKAGE_PATH or package_folders')


def _declared_name(folder: Path) -> str | None:
    """Return the name in a folder's package.xml; None without one."""
    with contextlib.suppress(OSError, ValueError):
        declared = re.search(rb'<name>\s*(.*?)\s*</name>', read_bytes(folder / 'package.xml'))
        return None if declared is None else declared[1].decode()
    return None
