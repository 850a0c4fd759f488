"""Shows an ik_node in the browser: drag the goal, choose the solver, watch the arm follow."""

from ik_node.support.signals import end_quietly

if __name__ == '__main__':
    end_quietly()  # before the imports that take long

import argparse
import contextlib
import io
import itertools
import sys
import threading
from pathlib import Path

from ik_node.commands.ready_pose import start_arguments
from ik_node.model.readers import FORMATS, read_model
from ik_node.solvers.registry import solver_names
from ik_node.support.command_line import number, reporting
from ik_node.support.downloads import described_place
from ik_node.support.processes import avoiding, start_thread
from ik_node.support.resources import obstacles_file, robot_file
from ik_node.support.signals import Stop
from ik_node.viewer.gallery import limb_parameters, limbs, tip_of

_COMPARED = ('dls', 'pseudoinverse', 'transpose', 'ccd')  # with --compare alone


@reporting('ik_view')
def main(argv: list[str] | None = None) -> int:
    """Run the view until Ctrl-C."""
    arguments = _arguments(argv)
    try:
        import fast_simplification  # noqa: F401  (for meshes; reported here, with viser)
        import viser  # noqa: F401
    except ImportError as error:
        sys.exit(f'ik_view needs viser ({error}): pip install viser pycollada fast-simplification')
    from ik_node.model.meshes import Places
    from ik_node.support.processes import node_command, running
    from ik_node.viewer.page_server import PageServer
    from ik_node.viewer.page_text import environment_text
    from ik_node.viewer.robot_view import COLORS, RobotView
    from ik_node.viewer.view import View
    with Stop() as stop, contextlib.ExitStack() as stack:
        started = _robots(arguments)
        processes = [stack.enter_context(running(node_command(*robot))) for robot in started]
        with contextlib.redirect_stdout(io.StringIO()):  # it has a banner of its own
            server = PageServer(arguments.host, arguments.port, arguments.allow_host)
        stack.callback(server.stop)
        changed = threading.Event()
        places = Places(arguments.mesh_folder)
        for file, *_ in started:
            places.add_robot(file)
            places.add(described_place(file))
        if arguments.obstacles:
            places.add(obstacles_file(arguments.obstacles).parent)
        robot_views = [RobotView(
            server, solver or arguments.namespace.strip('/') or arguments.node, changed.set,
            arm=arguments.arm, target=arguments.node, places=places,
            namespace=_space(arguments, solver), color=color if solver else None)
            for solver, color in zip(arguments.compare or [''], itertools.cycle(COLORS))]
        for robot_view, process in zip(robot_views, processes):
            robot_view.state.is_starting = lambda one=process: one.poll() is None  # type: ignore[misc]
        view = View(server, robot_views, changed, arguments.player, arguments.play)
        stack.callback(view.close)
        address = f'ik_view: {server.address}  {environment_text()}'.rstrip()
        print(address, flush=True)
        # Once more when nobody looks any longer: the log has moved it out of sight.
        server.on_client_disconnect(
            lambda _: None if server.get_clients() else print(address, flush=True))
        start_thread(view.run, 'painter')
        stop.wait()
    return 0


def _arguments(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog='ik_view', description=__doc__,
        epilog='Arguments after --ros-args are passed to ROS 2.')
    parser.add_argument('start', nargs='?', metavar='ROBOT', help='start a node with this robot: '
                        f'a file, {FORMATS}; one of the robots of this package; or a name of the '
                        'package robot_descriptions, which is downloaded on demand. By default a '
                        'running node is shown')
    parser.add_argument('--robot', help='the same, where options stand before it')
    parser.add_argument('--base', default='', help='base link of the chain, with --robot')
    parser.add_argument('--tip', default='', help='tip link of the chain, with --robot')
    parser.add_argument('--obstacles', metavar='FILE', help='a YAML file of obstacles, or post, of '
                        'this package, that the nodes that are started keep away from')
    parser.add_argument('--compare', nargs='*', metavar='SOLVER', choices=solver_names(),
                        help='start a node for each of these solvers and show them side by side '
                        f'(default: {" ".join(_COMPARED)}); --robot is arm_6r by default')
    parser.add_argument('--node', default='ik_node', help='the node\'s name')
    parser.add_argument('--namespace', default='', help='the node\'s namespace')
    parser.add_argument('--arm', default='', help='one of the node\'s arms, if it has several')
    parser.add_argument('--player', default='ik_play', help='name of a node that plays a '
                        'motion, in the same namespace; by default ik_play')
    parser.add_argument('--play', action='store_true', help='let that motion play, which is '
                        'paused, once a browser shows the page')
    parser.add_argument('--host', default='127.0.0.1', help='address of the page; 0.0.0.0 '
                        'serves it to the whole network')
    parser.add_argument('--allow-host', action='append', default=[], metavar='NAME', help='a '
                        'further host name that browsers reach the page by, as with --host or a '
                        'forwarded port; may be repeated. Others are refused, but for this '
                        'machine\'s addresses')
    parser.add_argument('--mesh-folder', action='append', default=[], type=Path, metavar='FOLDER',
                        help='a folder that mesh files of descriptions are opened in, beside '
                        'installed packages of ROS and the folder or package of ROBOT; may be '
                        'repeated')
    parser.add_argument('--port', type=number(int, 0, 65535), default=8080, help='port of the '
                        'page, or the next free one; by default 8080')
    argv = sys.argv[1:] if argv is None else argv
    arguments = parser.parse_args(
        argv[:argv.index('--ros-args')] if '--ros-args' in argv else argv)
    if arguments.start and arguments.robot:
        parser.error(f'one robot is needed, not both {arguments.start!r} and {arguments.robot!r}')
    arguments.compare = [] if arguments.compare is None else arguments.compare or list(_COMPARED)
    arguments.robot = arguments.robot or arguments.start or ('arm_6r' if arguments.compare else '')
    return arguments


def _robots(arguments: argparse.Namespace) -> list[tuple[Path, str, str, str, list[str]]]:
    """Return the arguments of `node_command` for each node that the view starts."""
    if not arguments.robot:
        return []
    file = robot_file(arguments.robot)
    obstacles = obstacles_file(arguments.obstacles) if arguments.obstacles else None
    tip = arguments.tip or ('' if arguments.base else tip_of(file))
    start = start_arguments(file, arguments.base, tip)
    ends = () if arguments.compare or arguments.tip else limbs(file, read_model(file))
    if ends:
        start = ['-p', f'tasks:=[{", ".join(ends)}]', *(
            word for name, value in limb_parameters(ends).items()
            for word in ('-p', f'{name}:={value}'))]
    return [(file, solver or ('least_squares' if ends else 'dls'), arguments.base, tip,
             ['-r', f'__ns:={_space(arguments, solver) or "/"}',
              '-r', f'__node:={arguments.node}', '-p', 'on_failure:=closest', *start,
              *(avoiding(solver or 'dls', obstacles) if obstacles else ())])
            for solver in arguments.compare or ['']]


def _space(arguments: argparse.Namespace, solver: str) -> str:
    """Return the namespace of a node: with --compare, that of its solver."""
    return f'{arguments.namespace.rstrip("/")}/{solver}' if solver else str(arguments.namespace)


if __name__ == '__main__':
    sys.exit(main())
