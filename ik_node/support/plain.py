"""Kernels as plain Python: where they are not compiled, or where IK_NODE_PLAIN asks for it."""

import importlib.machinery
import os
import sys
import warnings
from collections.abc import Sequence
from types import ModuleType

_PACKAGE = __name__.partition('.')[0]


class _Sources:
    """Finds the modules of this package by their sources, compiled or not."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None,
                  _: ModuleType | None = None) -> importlib.machinery.ModuleSpec | None:
        """Return the specification of a module of this package; None for any other."""
        if not name.startswith(f'{_PACKAGE}.'):
            return None
        for folder in path or ():
            spec = importlib.machinery.FileFinder(folder, (
                importlib.machinery.SourceFileLoader,
                importlib.machinery.SOURCE_SUFFIXES)).find_spec(name)
            if spec is not None:
                return spec
        return None


def is_wanted() -> bool:
    """Tell whether the environment asks for the sources as they are, to read and debug them."""
    return os.environ.get('IK_NODE_PLAIN', '') not in ('', '0')


def use_sources() -> None:
    """Import the sources of modules of this package from now on, whether compiled or not."""
    if _Sources not in sys.meta_path:
        sys.meta_path.insert(0, _Sources)


def warn() -> None:
    """Say that the kernels are not compiled, unless that is wanted."""
    if not is_wanted():
        warnings.warn(
            f'the kernels of {_PACKAGE} are not compiled and run as plain Python, a few hundred '
            'times slower: install a C compiler and the headers of Python (on Debian and Ubuntu: '
            f'gcc python3-dev), then {_PACKAGE} again', RuntimeWarning, stacklevel=2)
