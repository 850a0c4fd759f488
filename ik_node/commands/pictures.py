"""Pictures that commands save: requirements, checked before a computation, and small files."""

import io
from os import PathLike
from pathlib import Path
from typing import Any

INK = '#333333'


class MissingPackageError(Exception):
    """A package that a command needs is not installed."""


def check_matplotlib(needed: str) -> None:
    """Raise MissingPackageError where matplotlib is missing; needed: "the picture needs"."""
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError as error:
        raise MissingPackageError(f'{needed} matplotlib ({error}): pip install matplotlib'
                                  ) from error


def check_folder(file: Path | None) -> None:
    """Raise FileNotFoundError where the folder of a file does not exist."""
    if file is not None and not file.absolute().parent.is_dir():
        raise FileNotFoundError(f'there is no folder {file.absolute().parent} to save {file.name} '
                                'in')


def save_png(sheet: Any, file: str | PathLike[str], colors: int) -> None:
    """Save a figure of matplotlib in a palette of colours, which keeps the file small."""
    from PIL import Image
    drawn = io.BytesIO()
    sheet.savefig(drawn, format='png')
    Image.open(drawn).convert('RGB').quantize(colors).save(file, format='PNG', optimize=True)
