"""Plays a recorded motion of a robot as joint states, for RViz and the page in the browser."""

from ik_node.support.signals import end_quietly

if __name__ == '__main__':
    end_quietly()  # before the imports that take long

import argparse
import contextlib
import importlib.util
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ik_node.support.command_line import number, reporting
from ik_node.support.exceptions import OptionError

if TYPE_CHECKING:
    from ik_node.mocap.playhead import Playhead
    from ik_node.mocap.recording import Recording


@reporting('ik_play')
def main(arguments: Sequence[str] | None = None) -> int:
    """Play until SIGINT or SIGTERM; return 0, 2 for files that cannot be played.

    A signal that comes before the node runs ends the process with its status.
    """
    end_quietly()
    options = read_arguments(sys.argv[1:] if arguments is None else arguments)
    return _play(options)


def read_arguments(arguments: Sequence[str]) -> argparse.Namespace:
    """Return the arguments of the command. Exits with status 2 for wrong ones."""
    parser = argparse.ArgumentParser(
        prog='ik_play', description=__doc__,
        epilog='Times are counted from the first frame.')
    parser.add_argument('model', metavar='MODEL', help='a robot: .urdf, .xacro, .yaml or .asf; or '
                        'one of the robots of this package by its name')
    parser.add_argument('motion', metavar='MOTION', help='an Acclaim motion (.amc), '
                        'JointTrajectory or JointState messages as ROS prints them (.yaml), or a '
                        'table of joint values (.csv)')
    parser.add_argument('--rate', metavar='HZ', type=number(float, 5.0, 1e3), default=60.0,
                        help='joint states per second; default 60')
    parser.add_argument('--speed', metavar='X', type=number(float, 0.001, 100.0), default=1.0,
                        help='seconds of the motion per second; default 1')
    parser.add_argument('--fps', metavar='N', type=number(float, 1e-3, 1e6), default=None,
                        help='frames per second of an Acclaim motion; by default those that its '
                        'file says, else 120')
    parser.add_argument('--from', metavar='S', type=number(float, 0.0), default=0.0,
                        dest='start', help='time to begin at; default 0')
    parser.add_argument('--to', metavar='S', type=number(float, 0.0), default=None,
                        dest='stop', help='time to end at; by default that of the last frame')
    parser.add_argument('--loop', action='store_true', help='begin again at the end; else the '
                        'last frame is held')
    parser.add_argument('--start-paused', action='store_true', help='wait for ~/pause with false')
    parser.add_argument('--topic', metavar='NAME', default='joint_states',
                        help='topic of the joint states; default joint_states')
    parser.add_argument('--no-description', dest='description', action='store_false',
                        help='leave robot_description to another node')
    parser.add_argument('--view', action='store_true', help='show the motion on a page in the '
                        'browser, with a time slider; its address is printed. It plays, again '
                        'and again, once the page is open')
    parser.add_argument('--ros-args', nargs=argparse.REMAINDER, default=[],
                        help='arguments after it are passed to ROS 2')
    return parser.parse_args(arguments)


def _play(options: argparse.Namespace) -> int:
    """Read the files and run the node. Raises IkError, or FileNotFoundError for the robot."""
    from ik_node.ros.clients.player import Player  # before files are read, which may take long
    from ik_node.ros.run import run
    from ik_node.support.processes import running
    if options.view and not all(map(importlib.util.find_spec, ('viser', 'fast_simplification'))):
        raise OptionError('--view needs viser: pip install viser pycollada fast-simplification')
    recording, playhead = read_files(options)
    with contextlib.ExitStack() as stack:
        def make_player() -> Player:
            player = Player(recording, playhead, options.rate, options.topic, options.description)
            if options.view:
                stack.enter_context(running([
                    sys.executable, '-m', 'ik_node.viewer',
                    '--namespace', player.get_namespace(), '--player', player.get_name(),
                    *([] if options.start_paused else ['--play']), '--ros-args', '-r',
                    f'joint_states:={player.resolve_topic_name(options.topic)}']))
            return player
        return run(make_player, ['--ros-args', *options.ros_args])


def read_files(options: argparse.Namespace) -> tuple['Recording', 'Playhead']:
    """Return the recording that arguments name, and a playhead on it.

    Raises IkError, or FileNotFoundError for the robot.
    """
    from ik_node.mocap.playhead import Playhead
    from ik_node.mocap.recording_files import read_recording
    from ik_node.model.readers import read_robot
    recording = read_recording(options.motion, read_robot(options.model), options.fps)
    start, stop = _range(options, recording.duration)
    return recording, Playhead(start, stop, options.speed, options.loop or options.view,
                               options.start_paused or options.view)


def _range(options: argparse.Namespace, duration: float) -> tuple[float, float]:
    """Return where to begin and to end, s. Raises OptionError for a range without any motion."""
    stop = duration if options.stop is None else options.stop
    if stop > duration:
        raise OptionError(f'--to must be at most {duration:.9g} s, where the motion ends, not '
                          f'{stop:.9g}')
    if options.start > stop or (options.start == stop and duration > 0.0):
        raise OptionError(f'--from must be before {stop:.9g} s, where playing ends, not '
                          f'{options.start:.9g}')
    return options.start, stop


if __name__ == '__main__':
    sys.exit(main())
