"""Computes the reach, volume, task rank and dexterity of an arm, and reachability maps of it."""

import argparse
import sys
from pathlib import Path

from ik_node.commands.map_options import OF_MAPS, add_map_options, run_map
from ik_node.commands.pictures import check_folder, check_matplotlib
from ik_node.commands.progress import ProgressBar
from ik_node.model.readers import FORMATS, read_robot
from ik_node.support.command_line import reporting
from ik_node.support.signals import INTERRUPTED, keyboard_interrupts
from ik_node.workspace.analysis import FIGURES, analyse_workspace
from ik_node.workspace.picture import draw_workspace

_ORIENTATIONS, _HEIGHTS = 48, 6  # with a map


@reporting('ik_workspace')
def main(arguments: list[str] | None = None) -> int:
    """Run the command; return 0, 2 for errors, 130 after Ctrl-C."""
    parser = _parser()
    arguments = sys.argv[1:] if arguments is None else arguments
    end = arguments.index('--ros-args') if '--ros-args' in arguments else len(arguments)
    options = parser.parse_args(arguments[:end])
    if options.show == 'dexterity' and not options.dexterity and options.map is None:
        parser.error('--show dexterity needs --dexterity N, the number of orientations to try, or '
                     '--map')
    pictures = [file for file in options.output if file.suffix == '.png']
    if len(pictures) > 1:
        parser.error('--output may name one picture (.png) only')
    options.png = pictures[0] if pictures else None
    options.output = [file for file in options.output if file.suffix != '.png']
    own = [name for name in OF_MAPS if getattr(options, name)]
    if options.map is None and (own or options.output):
        parser.error(f'--{own[0].replace("_", "-") if own else "output, but for .png,"} needs '
                     '--map FILE')
    try:
        with keyboard_interrupts():
            return _run(options, arguments[end:])
    except KeyboardInterrupt:
        print('Stopped.', file=sys.stderr)
        return INTERRUPTED


def _run(options: argparse.Namespace, ros_arguments: list[str]) -> int:
    _check_requirements(options)
    chain = read_robot(options.file).chain(options.base, options.tip)
    print(f'Robot {chain.tree.name}: {chain.n_joints} joints from {chain.base_link} to '
          f'{chain.tip_link}', flush=True)
    map, bases = (None, []) if options.map is None else run_map(options, chain)
    if options.goals is not None:
        if not options.publish:
            return 0
        from ik_node.ros.publishing.workspace_markers import base_markers, publish
        return publish(base_markers(bases, f'{options.frame_prefix}world'), ros_arguments)
    figure = options.show or ('reachable' if map is None else 'dexterity')
    count = options.dexterity or _ORIENTATIONS * (map is not None)
    with ProgressBar() as bar:
        workspace = analyse_workspace(chain, options.edge, dexterity=count, map=map, progress=bar)
    for line in workspace.describe().splitlines():
        print(f'  {line}')
    if options.png is not None:
        draw_workspace(workspace, figure, options.png, 0 if map is None else _HEIGHTS)
        print(f'Picture: {options.png.absolute()}', flush=True)
    if not options.publish:
        return 0
    from ik_node.ros.publishing.workspace_markers import publish, workspace_markers
    return publish(workspace_markers(workspace, figure, options.frame_prefix), ros_arguments)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog='ik_workspace', description=__doc__,
        epilog='Arguments after --ros-args are passed to ROS 2, with --publish.')
    parser.add_argument('file', metavar='FILE', help=f'a robot: {FORMATS}; or '
                        'one of the robots of this package by its name')
    parser.add_argument('--base', metavar='LINK', help='base link; by default the root')
    parser.add_argument('--tip', metavar='LINK', help='tip link; by default the only leaf')
    parser.add_argument('--edge', metavar='M', type=float,
                        help='edge of a voxel, m; by default some 40 of them across the reach, 100 '
                        'where the arm is planar')
    parser.add_argument('--dexterity', metavar='N', type=int, default=0,
                        help='orientations to test at every voxel; 0, the default: none, with '
                        f'--map {_ORIENTATIONS}')
    parser.add_argument('--show', choices=FIGURES, help='the quantity shown by colours; '
                        'reachable, with --map dexterity')
    parser.add_argument('--output', '--png', metavar='FILE', type=Path, action='append', default=[],
                        help='save a picture (.png); with --goals the scores (.csv), or these and '
                        'the base poses (.yaml); may be repeated')
    parser.add_argument('--publish', action='store_true',
                        help='publish markers for RViz on the topic "workspace" until Ctrl-C: '
                        'the voxels, with --goals the base poses, in the frame "world"')
    parser.add_argument('--frame-prefix', metavar='PREFIX', default='',
                        help='prefix of the markers\' frame, the base link')
    add_map_options(parser)
    return parser


def _check_requirements(options: argparse.Namespace) -> None:
    if options.png is not None:
        check_matplotlib('the picture needs')
        check_folder(options.png)
    if options.publish:
        import ik_node.ros.publishing.workspace_markers  # noqa: F401
