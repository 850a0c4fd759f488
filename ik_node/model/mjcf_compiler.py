"""Compiles MJCF by MuJoCo, whose own rules of includes and defaults apply.

A file opens the files that it names, as MuJoCo does. Text opens none, since it may come from
anyone: MuJoCo has no switch for that, so the text is parsed here, and what would open a file, run
a plugin or need memory out of proportion is refused or replaced before MuJoCo sees it.
"""

import math
import threading
import warnings
from os import PathLike
from pathlib import PurePosixPath
from typing import Any, NamedTuple
from xml.etree import ElementTree

from ik_node.model.numbered_text import numbers_or_nan
from ik_node.model.robot_xml import parse_robot, root_name, xml_text
from ik_node.support.bounds import MAX_LINKS
from ik_node.support.exceptions import ModelError, shown

INSTALL = 'pip install mujoco-core'
"""The command that installs MuJoCo; before Python 3.11 the package is mujoco."""
_WHAT = 'the MJCF'
# What moves nothing, and may ask for much memory.
_UNUSED = ('actuator', 'custom', 'extension', 'option', 'sensor', 'size', 'statistic', 'visual')
_REFUSED = ('include', 'model', 'plugin')  # elements that open files, or run code
_REPEATED = ('composite', 'flexcomp', 'replicate')
# A mesh whose file is not opened: large, for the smallest scales.
_TETRAHEDRON = '0 0 0  100 0 0  0 100 0  0 0 100'
_STAND_INS = {
    'mesh': (('class', 'scale', 'refpos', 'refquat'), {'vertex': _TETRAHEDRON}),
    'texture': ((), {'type': '2d', 'builtin': 'flat', 'width': '1', 'height': '1'}),
    'hfield': (('size',), {'nrow': '2', 'ncol': '2'}),
}
"""Elements of assets: the attributes that are kept, and those that replace the others."""
_compiling = threading.Lock()  # MuJoCo has one receiver of warnings for all threads


class CompiledMjcf(NamedTuple):
    """A model as MuJoCo has compiled it."""

    model: Any  # mujoco.MjModel
    what: str  # how messages name the source
    is_file: bool
    files: dict[str, str]
    """Of text: the name of a mesh → its file, which was not opened."""
    weighed: frozenset[int]  # ids of bodies with an <inertial>
    warnings: list[str]

    def names(self, kind: str, count: int) -> list[str]:
        """Return the names of the elements of a kind, as "body", '' for those without."""
        addresses, text = getattr(self.model, f'name_{kind}adr'), self.model.names
        return [text[begin:text.index(b'\0', begin)].decode(errors='replace')
                for begin in addresses[:count].tolist()]


def is_mjcf(head: str) -> bool:
    """Return whether a text that begins so is a <mujoco>."""
    return root_name(head) == 'mujoco'


def compile_mjcf(source: str | PathLike[str]) -> CompiledMjcf:
    """Compile a path or the XML text. Raises ModelError, with what MuJoCo says."""
    path, text = xml_text(source, _WHAT)
    what = _WHAT if path is None else str(path)
    if not is_mjcf(text):
        raise ModelError(f'{what} must be a <mujoco>; it begins with {shown(text[:60])}')
    try:
        import mujoco
    except ImportError as error:
        raise ModelError(f'{what} needs MuJoCo, which cannot be imported: {INSTALL} ({error})'
                         ) from error
    files: dict[str, str] = {}
    plain = _without_files(parse_robot(text, _WHAT, 'mujoco'), files) if path is None else ''
    said: list[str] = []
    with _compiling, warnings.catch_warnings():
        warnings.simplefilter('ignore')  # they come to the receiver, too
        receiver = mujoco.get_mju_user_warning()
        mujoco.set_mju_user_warning(said.append)
        try:
            spec = (mujoco.MjSpec.from_string(plain) if path is None else
                    mujoco.MjSpec.from_file(str(path)))
            model = spec.compile()
            weighed = frozenset(body.id for body in spec.bodies if body.explicitinertial)
        except Exception as error:  # ValueError, and others of its own
            raise ModelError(f'MuJoCo cannot read {what}: {" ".join(str(error).split())}'
                             ) from error
        finally:
            mujoco.set_mju_user_warning(receiver)
    return CompiledMjcf(model, what, path is not None, files, weighed,
                        [f'MuJoCo: {" ".join(one.split())}' for one in dict.fromkeys(said)])


def _without_files(root: ElementTree.Element, files: dict[str, str]) -> str:
    """Return an MJCF as text that opens no file; write the names of meshes → their files."""
    root[:] = [element for element in root if element.tag not in _UNUSED]
    _check_size(root)
    for parent in root.iter():
        parent[:] = [child for child in parent if child.tag != 'skin']
        for element in parent:
            file = next((value for key, value in element.items() if key.startswith('file')), '')
            if element.tag in _REFUSED or (file and element.tag not in _STAND_INS):
                raise ModelError(f'{_WHAT} has the element <{element.tag}>'
                                 + f' with the file {shown(file)}' * bool(file)
                                 + ': text opens no files and runs no plugins; give the path of a '
                                 'file that you trust')
            if element.tag in _STAND_INS and (file or element.get('builtin')):
                _stand_in(element, file, files)
            elif element.tag == 'key':
                element.attrib = {key: value for key, value in element.items()
                                  if key in ('name', 'qpos')}
    return ElementTree.tostring(root, encoding='unicode')


def _stand_in(element: ElementTree.Element, file: str, files: dict[str, str]) -> None:
    """Replace what an asset would be read or made from."""
    kept, replaced = _STAND_INS[element.tag]
    name = element.get('name') or PurePosixPath(file.replace('\\', '/')).stem
    if element.tag == 'mesh':
        files[name] = file
    element.attrib = {key: element.attrib[key] for key in kept if key in element.attrib
                      } | replaced | ({'name': name} if name else {})


def _check_size(root: ElementTree.Element) -> None:
    """Raise ModelError for elements that are repeated too often; each may hold others."""
    total, stack = 0.0, [(root, 1.0)]
    while stack:
        element, times = stack.pop()
        if element.tag in _REPEATED:
            times *= max(1.0, math.prod(numbers_or_nan(element.get('count', '1'))))
        if not (total := total + times * (times > 1.0)) <= MAX_LINKS:
            raise ModelError(f'{_WHAT} repeats elements, by <{element.tag:.60}> or around it, '
                             f'more than {MAX_LINKS} times')
        stack += [(child, times) for child in element]
