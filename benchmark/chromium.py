"""A page in a headless Chromium that renders in software."""

import contextlib
import shutil
import sys
from collections.abc import Iterator
from typing import Any

_SWITCHES = ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader',
             '--enable-unsafe-swiftshader', '--disable-background-networking']


@contextlib.contextmanager
def new_page(width: int, height: int, scale: float = 1.0) -> Iterator[Any]:
    """Yield playwright's page, empty yet; end the program where there is no Chromium.

    scale: pixels of the screen for one of the page, as on a display of high resolution.
    """
    from playwright.sync_api import sync_playwright
    chromium = shutil.which('chromium') or shutil.which('chromium-browser')
    if chromium is None:
        sys.exit('Chromium is not installed (Debian: apt install chromium)')
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=_SWITCHES)
        yield browser.new_page(viewport={'width': width, 'height': height},
                               device_scale_factor=scale)
        browser.close()
