"""What the figures were measured on."""

import contextlib
import os
import platform
from pathlib import Path


def machine() -> str:
    """Return processor, cores and Python in a few words."""
    name = platform.processor() or platform.machine()
    with contextlib.suppress(OSError, StopIteration):
        name = next(line.split(':', 1)[1].strip() for line in Path('/proc/cpuinfo').read_text()
                    .splitlines() if line.startswith('model name'))
    return f'{name}, {os.cpu_count()} cores, Python {platform.python_version()}'
