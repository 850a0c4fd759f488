"""Whether the compiled kernels are those of the sources."""

import importlib.machinery
from pathlib import Path

from ik_node.support import arrays

COMPILED = not arrays.__file__.endswith('.py')
"""Whether the kernels are; as plain Python they are slow."""
_SUFFIX = importlib.machinery.EXTENSION_SUFFIXES[0]


def outdated(package):
    """Return the names of kernels in a folder that are to be compiled again; () where none is.

    One that is newer than every compiled module may be inlined in others, so it counts too. Where
    nothing is compiled, the kernels run as plain Python, and nothing is outdated.
    """
    headers = sorted(Path(package).rglob('*.pxd'))
    times = {path: path.stat().st_mtime for header in headers
             for path in (header, header.with_suffix('.py'))}
    compiled = {header: header.with_suffix(_SUFFIX) for header in headers
                if not header.read_text().startswith('# Not compiled')}
    built = {header: module.stat().st_mtime for header, module in compiled.items()
             if module.exists()}
    if not built:
        return ()
    newest = max(built.values())
    return tuple(header.stem for header in headers
                 if (header in compiled and header not in built)
                 or max(times[header], times[header.with_suffix('.py')]) > newest
                 or times[header.with_suffix('.py')] > built.get(header, newest))
