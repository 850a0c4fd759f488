"""Makes every picture of README and docs anew, from the real thing: `make pictures`.

RViz's picture is made where RViz is installed: see docs/rviz.md.
"""

import contextlib
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import viser
from playwright.sync_api import sync_playwright

from benchmark import arms
from ik_node.motion.way import Way
from ik_node.ros.processes import node_command, running
from ik_node.viewer.station import Station
from ik_node.viewer.view import View

DOCS = Path(__file__).parent
PICTURES = DOCS / 'pictures'
_SWITCHES = ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader',
             '--enable-unsafe-swiftshader', '--disable-background-networking']
_COLORS = ((0.25, 0.47, 0.75), (0.80, 0.35, 0.28), (0.30, 0.62, 0.40))
_PORT = 8500
_STEPS = 120   # goals on a way
_SETTLE = 6000  # ms that the page may take to catch up: it is drawn by the processor


def main() -> int:
    """Make the pictures; return 0."""
    os.environ.update(ROS_DOMAIN_ID='88', ROS_AUTOMATIC_DISCOVERY_RANGE='LOCALHOST')
    PICTURES.mkdir(exist_ok=True)
    _run('ik_node.tools.ik_figures', '--out', DOCS / 'figures', '--markdown', DOCS / 'figures.md')
    panda = arms.load('panda')
    _run('ik_node.tools.ik_workspace', panda.file, '--base', panda.chain.base_link, '--tip',
         panda.chain.tip_link, '--show', 'manipulability', '--png', DOCS / 'workspace.png')
    hero(PICTURES / 'hero.png')
    compare(PICTURES / 'compare.png')
    unreachable(PICTURES / 'unreachable.png')
    return 0


def hero(file: Path) -> None:
    """Show a Panda at the end of a way."""
    with _shown('panda', ('dls',)) as (page, view, stations):
        _follow(page, view, stations, Way(stations[0].chain), 0.0, 0.62)
        page.screenshot(path=file)


def compare(file: Path) -> None:
    """Show three solvers after the same goals."""
    with _shown('panda', ('dls', 'transpose', 'ccd')) as (page, view, stations):
        _follow(page, view, stations, Way(stations[0].chain), 0.0, 0.4)
        page.screenshot(path=file)


def unreachable(file: Path) -> None:
    """Show a goal that is not met."""
    with _shown('ur5', ('dls',)) as (page, view, stations):
        way = Way(stations[0].chain)
        _follow(page, view, stations, way, 0.2, 0.3)
        T = way.pose(0.3)
        T[:3, 3] = stations[0].reach * np.array([-0.6, 0.85, 0.35])
        _goal(page, view, stations, T)
        page.wait_for_timeout(_SETTLE)
        page.screenshot(path=file)


def _run(module: str, *arguments: object) -> None:
    subprocess.run([sys.executable, '-m', module, *map(str, arguments)], check=True)


@contextlib.contextmanager
def _shown(name: str, solvers: tuple[str, ...]) -> Iterator[tuple[Any, View, list[Station]]]:
    """Run a node for each solver, a view of them, and a browser on that; yield when all is there.

    Yields (page, view, stations).
    """
    arm = arms.load(name)
    with contextlib.ExitStack() as stack:
        for solver in solvers:
            stack.enter_context(running(node_command(
                arm.file, solver, arm.chain.base_link, arm.chain.tip_link,
                ['-r', f'__ns:=/{solver}'])))
        server = viser.ViserServer(host='127.0.0.1', port=_PORT, verbose=False, label='ik_view')
        stack.callback(server.stop)
        news = threading.Event()
        stations = [Station(server, solver if len(solvers) > 1 else 'ik_node', news.set,
                            namespace=f'/{solver}',
                            color=_COLORS[i] if len(solvers) > 1 else None)
                    for i, solver in enumerate(solvers)]
        view = View(server, stations, news)
        stack.callback(view.close)
        threading.Thread(target=view.run, daemon=True).start()
        page = stack.enter_context(_page(server.get_port()))
        deadline = time.monotonic() + 60.0
        while not all(station.chain and station.values for station in stations):
            page.wait_for_timeout(100)
            if time.monotonic() > deadline:
                raise TimeoutError(f'the nodes of {name} do not answer')
        page.wait_for_timeout(4000)
        page.get_by_text('Software WebGL').locator('xpath=../..').get_by_role(
            'button').first.click()
        yield page, view, stations


@contextlib.contextmanager
def _page(port: int) -> Iterator[Any]:
    chromium = shutil.which('chromium') or shutil.which('chromium-browser')
    if chromium is None:
        sys.exit('pictures: Chromium is not installed (Debian: apt install chromium)')
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=_SWITCHES)
        page = browser.new_page(viewport={'width': 1280, 'height': 720})
        page.goto(f'http://127.0.0.1:{port}')
        yield page
        browser.close()


def _follow(page: Any, view: View, stations: list[Station], way: Way, start: float,
            end: float) -> None:
    """Lead all arms along a part of a way."""
    for turn in np.linspace(start, end, _STEPS):
        _goal(page, view, stations, way.pose(float(turn)))
    page.wait_for_timeout(_SETTLE)


def _goal(page: Any, view: View, stations: list[Station], T_base_goal: np.ndarray) -> None:
    """Drag the goal to a pose (4, 4), m."""
    T_root_goal = stations[0].T_root_base @ T_base_goal
    view.drag_to(T_root_goal)
    page.wait_for_timeout(30)


if __name__ == '__main__':
    sys.exit(main())
