"""The kernels as their source files are: uncompiled, with functions that Python can call."""

import importlib
import sys
import warnings
from importlib.util import spec_from_file_location
from pathlib import Path

import ik_node

_PACKAGE = 'ik_node.kernels'
_FOLDER = Path(ik_node.__file__).parent / 'kernels'


class _Sources:
    """Finds the source file of a kernel, though a compiled module is beside it."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if not name.startswith(f'{_PACKAGE}.'):
            return None
        return spec_from_file_location(name, _FOLDER / f'{name.rpartition(".")[2]}.py')


def plain(*names):
    """Return modules of kernels, uncompiled; those that others have imported stay as they are."""
    own = [name for name in sys.modules if name == _PACKAGE or name.startswith(f'{_PACKAGE}.')]
    kept = {name: sys.modules.pop(name) for name in own}
    sys.meta_path.insert(0, _Sources)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter('ignore', RuntimeWarning)  # that they are not compiled
            return [importlib.import_module(f'{_PACKAGE}.{name}') for name in names]
    finally:
        sys.meta_path.remove(_Sources)
        for name in [name for name in sys.modules if name.startswith(_PACKAGE)]:
            del sys.modules[name]
        sys.modules.update(kept)
        if _PACKAGE in kept:
            ik_node.kernels = kept[_PACKAGE]
