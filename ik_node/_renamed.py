"""Former names of public functions, classes and modules, kept for one release with a warning."""

import importlib
import warnings
from collections.abc import Callable, Mapping


def warn(former: str, present: str) -> None:
    """Warn the caller's caller that a name has changed."""
    warnings.warn(f'{former} is deprecated and will be removed: use {present}',
                  DeprecationWarning, stacklevel=3)


def former_names(module: str, names: Mapping[str, str],
                 home: str | None = None) -> Callable[[str], object]:
    """Return a `__getattr__` for a module that still provides former names.

    names: former name → present name. home: the module of the present names, by default itself.
    """
    def get(name: str) -> object:
        if name not in names:
            raise AttributeError(f'module {module!r} has no attribute {name!r}')
        warn(f'{module}.{name}', f'{home or module}.{names[name]}')
        return getattr(importlib.import_module(home or module), names[name])
    return get
