"""Makes every picture of README and docs anew, from the real thing: `make pictures`.

RViz's picture is made where RViz is installed: see docs/rviz.md.
"""

import contextlib
import io
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from benchmark import arms
from benchmark.chromium import new_page
from ik_node import KinematicTree, make_body_solver
from ik_node.commands import ik_compare, ik_figures, ik_workspace
from ik_node.commands.ready_pose import start_arguments
from ik_node.model.body import Body
from ik_node.model.meshes import Meshes, Places
from ik_node.model.readers import read_model
from ik_node.motion.tip_path import ClosedPath
from ik_node.ros.clients.client import Client
from ik_node.support.processes import node_command, running
from ik_node.support.resources import robot_file, share_folder
from ik_node.tasks import Pose, Position
from ik_node.viewer.drawn_robot import DrawnRobot
from ik_node.viewer.gallery import mesh_folders, robots, thumbnail_of, with_start
from ik_node.viewer.ground import GroundPlane
from ik_node.viewer.page_server import PageServer
from ik_node.viewer.robot_view import COLORS, RobotView
from ik_node.viewer.view import View
from tables import package_uses

DOCS = Path(__file__).parent
PICTURES = DOCS / 'pictures'
_PORT = 8500
_STEPS = 120   # goals on a path
_DRAG = 0.45, 0.1, 0.5  # m, of a palm
_MIDDLE = {'x': 320, 'y': 0, 'width': 605, 'height': 720}  # of a page: no panels
_TILE = {'x': 400, 'y': 120, 'width': 480, 'height': 480}  # its middle
_THUMB = 144   # pixels of a thumbnail, along each side
_FROM = 0.62, -0.7, 0.35  # direction from which its robot is seen
_SCALE = 2     # pixels of a picture for one of the page
_COLORS = 256  # of a picture, which keeps its file small
_VIVID = 60    # of 255: the difference of the primary colours of such a pixel
_PERIOD = 0.02  # s, of a step of that
_PATIENCE = 120000  # ms that a picture may take
_SETTLE = 6000  # ms that the page may take to catch up: it is drawn by the processor


def main() -> int:
    """Make the pictures; return 0."""
    os.environ.update(ROS_DOMAIN_ID='88', ROS_AUTOMATIC_DISCOVERY_RANGE='LOCALHOST')
    PICTURES.mkdir(exist_ok=True)
    _run(ik_figures.main, '--output', DOCS / 'figures', '--output', DOCS / 'figures.md')
    _run(ik_compare.main, '--output', DOCS / 'comparison.md', '--output',
         PICTURES / 'comparison.png')
    packages(PICTURES / 'packages.png')
    panda = arms.load('panda')
    _run(ik_workspace.main, panda.file, '--base', panda.chain.base_link, '--tip',
         panda.chain.tip_link, '--show', 'manipulability', '--output', DOCS / 'workspace.png')
    subprocess.run([sys.executable, '-m', 'benchmark.evolution', '--png', PICTURES / 'genetic.png'],
                   check=True)
    hero(PICTURES / 'hero.png')
    compare(PICTURES / 'compare.png')
    unreachable(PICTURES / 'unreachable.png')
    null_space(PICTURES / 'null_space.png')
    steps(PICTURES / 'steps.png')
    tasks(PICTURES / 'humanoid.png')
    masses(PICTURES / 'masses.png')
    for name in robots():
        thumbnail(name, thumbnail_of(name))
    return 0


def packages(file: Path) -> None:
    """Draw the packages in the order of their imports, with arrows to those that use them."""
    import matplotlib
    matplotlib.use('Agg')
    import matplotlib.pyplot as plt
    uses = package_uses()

    def depth(name: str) -> int:
        return 1 + max((depth(other) for other in uses[name]), default=-1)
    columns: dict[int, list[str]] = {}
    for name in uses:
        columns.setdefault(depth(name), []).append(name)
    places = {name: (column, 0.5 * (len(names) - 1) - row)
              for column, names in columns.items() for row, name in enumerate(names)}
    sheet, axes = plt.subplots(figsize=(16.0, 2.6), dpi=90)
    for name, (x, y) in places.items():
        box = {'boxstyle': 'round,pad=0.4', 'facecolor': '#e8eef4', 'edgecolor': '#4a6178'}
        axes.text(x, y, name, ha='center', va='center', fontsize=10, bbox=box)
        for other in uses[name]:
            axes.annotate('', (x, y), places[other], zorder=0, arrowprops={
                'arrowstyle': '->', 'color': '#4a6178', 'shrinkA': 30, 'shrinkB': 36})
    axes.set_xlim(-0.5, len(columns) - 0.5)
    axes.set_ylim(-1.1, 1.1)
    axes.axis('off')
    sheet.savefig(file, bbox_inches='tight')
    plt.close(sheet)


def hero(file: Path) -> None:
    """Show a Panda at the end of a path."""
    with _shown(_solvers('panda', 'dls')) as (page, view, robot_views):
        _follow(page, view, robot_views, ClosedPath(robot_views[0].chain), 0.0, 0.62)
        _shoot(page, view.page.set_dark, file)


def compare(file: Path) -> None:
    """Show three solvers after the same goals."""
    with _shown(_solvers('panda', 'dls', 'transpose', 'ccd')) as (page, view, robot_views):
        _follow(page, view, robot_views, ClosedPath(robot_views[0].chain), 0.0, 0.4)
        _shoot(page, view.page.set_dark, file)


def unreachable(file: Path) -> None:
    """Show a goal that is not met."""
    with _shown(_solvers('ur5', 'dls')) as (page, view, robot_views):
        _leave(page, view, robot_views)
        _shoot(page, view.page.set_dark, file)


def null_space(file: Path) -> None:
    """Show where the joints of a Panda can go while its tip stays."""
    with _shown(_solvers('panda', 'dls')) as (page, view, robot_views):
        _follow(page, view, robot_views, ClosedPath(robot_views[0].chain), 0.0, 0.62)
        _show(page, 'Null space', 'show the self-motion', 'place')
        _shoot(page, view.page.set_dark, file)


def steps(file: Path) -> None:
    """Show the next step of each method towards a goal that is not met."""
    with _shown(_solvers('ur5', 'dls')) as (page, view, robot_views):
        _leave(page, view, robot_views)
        _show(page, 'Steps', 'show steps', 'One step')
        _shoot(page, view.page.set_dark, file)


def tasks(file: Path) -> None:
    """Show a humanoid that reaches with both hands and looks at one, its feet where they stood."""
    command = node_command(robot_file('humanoid'), 'least_squares', ros_arguments=[
        '--params-file', str(share_folder() / 'config/humanoid.yaml'), '-r', '__ns:=/figure'])
    with _shown({'figure': command}) as (page, view, robot_views), Client(
            namespace='/figure') as client:
        tree = robot_views[0].tree
        assert tree is not None
        start = tree.forward()
        goals = {}
        for task, offset in (('left', (0.38, 0.12, 1.25)), ('right', (0.3, -0.08, 1.2))):
            goals[task] = start[f'{task}_palm'].copy()
            goals[task][:3, 3] += offset
            client.send(goals[task], task=task)
        client.send(goals['left'][:3, 3], task='look')
        _shoot(page, view.page.set_dark, file)


def masses(file: Path) -> None:
    """Show a humanoid whose left palm was drawn forward and up, with each kind of mass."""
    body = KinematicTree.from_urdf(robot_file('humanoid')).body('floating')
    server = PageServer('127.0.0.1', _PORT)
    server.scene.set_up_direction('+z')
    server.gui.configure_theme(show_logo=False, show_share_button=False)
    try:
        for kind, color, aside in (('uniform', COLORS[0], 0.55), ('inertia', COLORS[1], -0.55)):
            q, trace = drawn_palm(body, kind)
            frames = body.forward(q)
            T_world_pelvis = frames[body.tree.root].copy()
            at = np.array([aside, 0.0, -float(frames['left_sole'][2, 3])])
            T_world_pelvis[:3, 3] += at
            robot = DrawnRobot(server, f'/{kind}', color)
            robot.draw(body.tree, Meshes())
            robot.move(dict(zip(body.joint_names, q.tolist())), T_world_pelvis)
            server.scene.add_spline_catmull_rom(f'/trace/{kind}', trace + at, thickness=4.0,
                                                thickness_units='screen', color=(220, 110, 30))
            server.scene.add_label(f'/label/{kind}', f'mass: {kind}',
                                   position=(aside, 0.0, at[2] + 0.93))
        camera = server.initial_camera
        camera.position, camera.look_at, camera.fov = (0.9, 4.6, 1.4), (0.12, 0.0, 0.9), 0.48
        with new_page(1280, 720, _SCALE) as page:
            page.goto(f'http://127.0.0.1:{server.get_port()}')
            page.wait_for_timeout(_SETTLE)
            _shoot(page, server.set_dark, file, clip=_MIDDLE)
    finally:
        server.stop()


def thumbnail(name: str, file: Path) -> None:
    """Draw a robot of the page's gallery at its first pose."""
    parameters = with_start(robots()[name])
    source, places = Path(parameters['model_path']), Places(mesh_folders())
    places.add_robot(source)
    tree = read_model(source)
    chain = tree.chain(parameters['base_link'] or None, parameters['tip_link'] or None)
    server = PageServer('127.0.0.1', _PORT)
    server.gui.configure_theme(show_logo=False, show_share_button=False)
    try:
        robot, ground = DrawnRobot(server, '/robot'), GroundPlane(server.scene)
        robot.draw(tree, Meshes(places, robot=str(source)))
        robot.move(dict(zip(chain.joint_names, parameters['start_pose'])), np.eye(4))
        corners, camera = robot.corners(of_shapes=True), server.initial_camera
        back = np.array(_FROM) / np.linalg.norm(_FROM)
        right = np.cross([0.0, 0.0, 1.0], back)
        axes = np.array([right / np.linalg.norm(right), np.cross(back, right), back])
        low, high = (choose(corners @ axes.T, axis=0) for choose in (np.min, np.max))
        middle, size = axes.T @ (0.5 * (low + high)), 0.5 * np.linalg.norm(high - low)
        ground.fit(2.0 * size, z=corners[:, 2].min())
        ground.shade(corners.reshape(-1, 8, 3))
        half = 0.5 * (high - low)[:2].max() / (0.9 * _TILE['height'] / 720)
        camera.position = middle + (half / np.tan(0.2) + 0.5 * (high - low)[2]) * back
        camera.look_at, camera.fov = middle, 0.4
        with new_page(1280, 720) as page:
            page.goto(f'http://127.0.0.1:{server.get_port()}')
            page.wait_for_timeout(_SETTLE)
            drawn = Image.open(io.BytesIO(page.screenshot(clip=_TILE, timeout=_PATIENCE)))
            drawn = drawn.convert('RGB').resize((_THUMB, _THUMB), Image.Resampling.LANCZOS)
            drawn.quantize(64, dither=Image.Dither.NONE).save(file, optimize=True)
    finally:
        server.stop()


def drawn_palm(body: Body, mass: str) -> tuple[np.ndarray, np.ndarray]:
    """Return q (n,) after a drag of the left palm, its feet held, and the palm's places (k, 3)."""
    q = body.neutral()
    frames = body.forward(q)
    palm = Position('left_palm')
    start, trace = frames['left_palm'][:3, 3], []
    solver = make_body_solver('lagrange', body, [
        *(Pose(sole, frames[sole]) for sole in ('left_sole', 'right_sole')), palm], mass=mass)
    for part in np.linspace(0.0, 1.0, _STEPS):
        palm.target = start + part * np.array(_DRAG)
        q = q + _PERIOD * solver.velocity(q, _PERIOD)
        trace.append(body.forward(q)['left_palm'][:3, 3])
    return q, np.array(trace)


def _shoot(page: Any, set_dark: Callable[[bool], None], file: Path, **options: Any) -> None:
    """Save a picture of the page in light colours, and beside it one in dark colours."""
    for button in page.get_by_text('Fit view').all():
        button.click()
        page.mouse.move(100, 600)  # away from hints
    for dark, name in ((False, file), (True, file.with_stem(f'{file.stem}_dark'))):
        set_dark(dark)
        page.wait_for_timeout(_SETTLE)
        drawn = Image.open(io.BytesIO(page.screenshot(timeout=_PATIENCE, **options)))
        _small(drawn.convert('RGB')).save(name, optimize=True)


def _small(drawn: Image.Image) -> Image.Image:
    """Return a picture in a palette, which has a share of the few pixels in vivid colours."""
    pixels = np.asarray(drawn).reshape(-1, 3)
    vivid, colors = np.ptp(pixels, axis=1) > _VIVID, [255, 255, 255]
    for part, count in ((pixels[vivid], _COLORS // 3), (pixels[~vivid], 2 * _COLORS // 3)):
        colors += (Image.fromarray(part[None]).quantize(count).getpalette() or [])[:3 * count]
    palette = Image.new('P', (1, 1))
    palette.putpalette(colors)
    return drawn.quantize(palette=palette, dither=Image.Dither.NONE)


def _run(command: Callable[[list[str]], int], *arguments: object) -> None:
    if status := command([*map(str, arguments)]):
        sys.exit(status)


def _solvers(name: str, *solvers: str) -> dict[str, list[str]]:
    """Return the command of a node with an arm for each solver."""
    arm = arms.load(name)
    ends = arm.chain.base_link, arm.chain.tip_link
    start = start_arguments(arm.file, *ends)
    return {solver: node_command(arm.file, solver, *ends, ['-r', f'__ns:=/{solver}', *start])
            for solver in solvers}


@contextlib.contextmanager
def _shown(commands: dict[str, list[str]]) -> Iterator[tuple[Any, View, list[RobotView]]]:
    """Run nodes, a view of them, and a browser on that; yield when all is there.

    commands: by the namespaces of the nodes. Yields (page, view, views of the nodes).
    """
    several = len(commands) > 1
    with contextlib.ExitStack() as stack:
        for command in commands.values():
            stack.enter_context(running(command))
        server = PageServer('127.0.0.1', _PORT)
        stack.callback(server.stop)
        news = threading.Event()
        robot_views = [RobotView(server, name if several else 'ik_node', news.set,
                                 namespace=f'/{name}', color=COLORS[i] if several else None)
                       for i, name in enumerate(commands)]
        view = View(server, robot_views, news)
        stack.callback(view.close)
        threading.Thread(target=view.run, daemon=True).start()
        page = stack.enter_context(new_page(1280, 720, _SCALE))
        page.goto(f'http://127.0.0.1:{server.get_port()}')
        deadline = time.monotonic() + 60.0
        while not all(robot_view.tree and robot_view.values for robot_view in robot_views):
            page.wait_for_timeout(100)
            if time.monotonic() > deadline:
                raise TimeoutError(f'the nodes {", ".join(commands)} do not answer')
        page.add_style_tag(content='.mantine-Notifications-root { display: none; }')
        page.wait_for_timeout(4000)
        yield page, view, robot_views


def _show(page: Any, folder: str, box: str, last: str) -> None:
    """Check a box in a folder of the tab Learn, down to the last text."""
    for name in ('Learn', folder):
        page.get_by_text(name, exact=True).first.click()
        page.wait_for_timeout(1000)
    page.get_by_label(box).check()
    page.get_by_text(last, exact=True).first.scroll_into_view_if_needed()
    page.wait_for_timeout(_SETTLE)


def _follow(page: Any, view: View, robot_views: list[RobotView], path: ClosedPath, start: float,
            end: float) -> None:
    """Lead all arms along a part of a path."""
    for s in np.linspace(start, end, _STEPS):
        _goal(page, view, robot_views, path.pose(float(s)))
    page.wait_for_timeout(_SETTLE)


def _leave(page: Any, view: View, robot_views: list[RobotView]) -> None:
    """Lead the goal from the tip at the first pose to a place out of reach."""
    values = robot_views[0].arm_values
    assert values is not None
    T = values[0].forward(values[1])
    start, end = T[:3, 3].copy(), 1.05 * robot_views[0].reach * np.array([0.7, -0.75, 0.4])
    for part in np.linspace(0.0, 1.0, _STEPS):
        T[:3, 3] = start + part * (end - start)
        _goal(page, view, robot_views, T)
    page.wait_for_timeout(_SETTLE)


def _goal(page: Any, view: View, robot_views: list[RobotView], T_base_goal: np.ndarray) -> None:
    """Drag the goal to a pose (4, 4), m."""
    view.page.handles.drag_to(robot_views[0].target_frame() @ T_base_goal)
    page.wait_for_timeout(30)


if __name__ == '__main__':
    sys.exit(main())
