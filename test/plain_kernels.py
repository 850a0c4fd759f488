"""The kernels as their source files are: uncompiled, with functions that Python can call."""

import importlib
import sys
import warnings
from importlib.util import spec_from_file_location
from pathlib import Path

import ik_node

_FOLDER = Path(ik_node.__file__).parent
_FILES = {'.'.join(('ik_node', *path.relative_to(_FOLDER).with_suffix('').parts)):
          path.with_suffix('.py') for path in _FOLDER.rglob('*.pxd')}


class _Sources:
    """Finds the source file of a kernel, though a compiled module is beside it."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        return spec_from_file_location(name, _FILES[name]) if name in _FILES else None


def plain(*names):
    """Return kernels, such as 'support.clock', uncompiled; imported ones stay as they are."""
    kept = {name: sys.modules.pop(name) for name in _FILES if name in sys.modules}
    for name in kept:
        package, _, own = name.rpartition('.')
        delattr(sys.modules[package], own)
    sys.meta_path.insert(0, _Sources)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter('ignore', RuntimeWarning)  # that they are not compiled
            return [importlib.import_module(f'ik_node.{name}') for name in names]
    finally:
        sys.meta_path.remove(_Sources)
        for name in _FILES:
            sys.modules.pop(name, None)
        sys.modules.update(kept)
        for name, module in kept.items():
            package, _, own = name.rpartition('.')
            setattr(sys.modules[package], own, module)
