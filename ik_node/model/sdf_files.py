"""Files of SDF, with the models that they include in the place of the elements that do.

A text opens no file: it may come from anyone.
"""

import re
from pathlib import Path
from urllib.parse import unquote, urlparse
from xml.etree.ElementTree import Element, SubElement

from ik_node.model.robot_xml import parse_robot, xml_text
from ik_node.model.sdf_links import is_true, text_of
from ik_node.support.bounds import (
    MAX_NESTING,
    MAX_NODES,
    as_path,
    check_links,
    read_bytes,
    reading,
)
from ik_node.support.exceptions import ModelError, names, shown
from ik_node.support.resources import installed_package, package_path

WHAT = 'the SDF'
_FILE, _CONFIG = 'model.sdf', 'model.config'


def read_model_element(source: object) -> tuple[Path | None, Element]:
    """Return the file that a source is, None for text, and its one <model> that is not static.

    What it includes is in it; axes that are along the model say so. Raises ModelError.
    """
    path, text = xml_text(source, WHAT)
    return path, _Includes().model(text, [] if path is None else [path.resolve()])


class _Includes:
    """What is included in one model, within bounds."""

    def __init__(self) -> None:
        self._elements = self._models = 0

    def model(self, text: str, files: list[Path]) -> Element:
        """Return the model of a text; files: those that include each other, it is of the last."""
        what = f'{WHAT} {str(files[-1])!r}' if files else WHAT
        root = parse_robot(text, what, 'sdf')
        version = re.match(r'(\d{1,3})\.(\d{1,3})', root.get('version', ''))
        if version is not None and (int(version[1]), int(version[2])) <= (1, 4):
            for axis in [*root.iter('axis'), *root.iter('axis2')]:
                if axis.find('use_parent_model_frame') is None:
                    SubElement(axis, 'use_parent_model_frame').text = '1'
        self._models += 1
        check_links(self._models, 'included models')
        self._elements += sum(1 for _ in root.iter())
        if self._elements > MAX_NODES:
            raise ModelError(f'{what}: what is included has too many elements; at most {MAX_NODES} '
                             'are allowed')
        for uri in root.iter('uri') if len(files) > 1 else ():
            url = urlparse(uri.text.strip()) if uri.text else None
            if url is not None and not url.scheme and url.path:  # beside this file
                uri.text = str(files[-1].parent / url.path)
        parents = [root, *root.findall('world')]
        problem: ModelError | None = None
        models = _moving([model for parent in parents for model in parent.findall('model')])
        if len(models) != 1:
            for include in [one for parent in parents for one in parent.findall('include')]:
                try:  # others, such as the sun, are left out
                    models.append(self._included(include, files))
                except ModelError as error:
                    problem = problem or error
            models = _moving(models)
        if len(models) != 1:
            raise problem or ModelError(
                f'{what} must have one <model> that is not static, not {len(models)}'
                + f' ({names(model.get("name", "") for model in models)})' * bool(models))
        self._expand(models[0], files)
        return models[0]

    def _expand(self, model: Element, files: list[Path]) -> None:
        """Put the models that a model includes in the place of the elements that do."""
        for k, element in enumerate(model):
            if element.tag == 'include':
                model[k] = self._included(element, files)
            elif element.tag == 'model':
                self._expand(element, files)

    def _included(self, include: Element, files: list[Path]) -> Element:
        """Return the model of an <include>, by the name and at the pose that it says."""
        uri = text_of(include, 'uri')
        what = f'{WHAT} includes {shown(uri)}'
        if not files:
            raise ModelError(f'{what}: files are not opened for a text; read it from a file, or '
                             'expand it first: "gz sdf -p FILE"')
        if is_true(include.get('merge')):
            raise ModelError(f'{what} with merge="{include.get("merge"):.10}", which is not read')
        file = _found(uri, files[-1], what)
        if file in files or len(files) > MAX_NESTING:
            raise ModelError(f'{what} in a circle, or too deep: {names(map(str, [*files, file]))}')
        model = self.model(xml_text(file, WHAT)[1], [*files, file])
        model.set('name', text_of(include, 'name') or model.get('name', ''))
        if (pose := include.find('pose')) is not None:
            for old in model.findall('pose'):
                model.remove(old)
            model.append(pose)
            if placed := text_of(include, 'placement_frame') or include.get('placement_frame'):
                model.set('placement_frame', placed)
        if (static := include.find('static')) is not None:
            model[:] = [static, *(one for one in model if one.tag != 'static')]
        return model


def _moving(models: list[Element]) -> list[Element]:
    """Return the models that are not static where there are several, as of a world."""
    return models if len(models) < 2 else [
        model for model in models if not is_true(model.findtext('static'))]


def _found(uri: str, includer: Path, what: str) -> Path:
    """Return the file of model://name/path, file://path or a path, from the file that names it.

    It is looked for beside that file, beside its folder, and in `package_path`; of a folder the
    newest file that model.config names, else model.sdf.
    """
    with reading(f'{what}, whose path is invalid'):
        url = urlparse(uri)
        path = unquote(url.netloc + url.path)
        if url.scheme not in ('', 'model', 'package', 'file') or not path:
            raise ModelError(f'{what}: only model://, package://, file:// and paths are read')
        folders = [includer.parent, includer.parent.parent, *package_path()]
        candidates = [folder / path for folder in folders]  # an absolute path is itself
        candidates += [share.parent / path for share in installed_package(url.netloc or path)]
        for candidate in candidates:
            file = _file_of(candidate) if candidate.is_dir() else candidate
            if file.is_file():
                return file.resolve()
    raise ModelError(f'{what}, which is not found beside {str(includer)!r}; put the folder that it '
                     'is in into GZ_SIM_RESOURCE_PATH or SDF_PATH')


def _file_of(folder: Path) -> Path:
    """Return the file of a model's folder."""
    config, named = folder / _CONFIG, []
    if config.is_file():
        root = parse_robot(read_bytes(config), f'{str(config)!r}', 'model')
        named = [(tuple(map(int, re.findall(r'\d+', one.get('version', ''))[:3])), one.text.strip())
                 for one in root.findall('sdf') if one.text]
    return folder / as_path(max(named)[1] if named else _FILE, 'a model')
