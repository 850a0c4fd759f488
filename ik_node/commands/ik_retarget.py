"""Lets a robot follow the motion of another figure, and writes its joint values."""

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ik_node.commands.pictures import check_folder
from ik_node.commands.progress import ProgressBar
from ik_node.mocap import recording_files
from ik_node.mocap.retargeting import retarget
from ik_node.mocap.retargeting_map import read_map
from ik_node.model.readers import FORMATS, read_robot
from ik_node.support.command_line import reporting


@reporting('ik_retarget')
def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code: 2 for errors."""
    options = _arguments(arguments)
    check_folder(Path(options.output))
    figure, robot = read_robot(options.skeleton), read_robot(options.robot)
    recording = recording_files.read_recording(options.motion, figure, options.fps)
    with ProgressBar() as bar:
        found = retarget(recording, robot, read_map(options.map), lambda done, total: bar(
            done / total, f'frame {done} of {total}'))
    recording_files.write_recording(found.recording, options.output)
    print(f'{options.output}: {found.recording.n_frames} frames, {found.recording.duration:.2f} s')
    if found.held:
        print('held: ' + ', '.join(f'{name} {count} times' for name, count in found.held.items()))
    times = 1e3 * found.solve_times
    print(found.report() or 'all tasks are met in all frames')
    print(f'time per frame: median {np.median(times):.2f} ms, 99 % within '
          f'{np.percentile(times, 99):.2f} ms')
    return 0


def _arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog='ik_retarget', description=__doc__,
        epilog='docs/retargeting.md explains the map, and names sources of motions.')
    parser.add_argument('skeleton', metavar='SKELETON',
                        help=f'the figure that was recorded: {FORMATS}')
    parser.add_argument('motion', metavar='MOTION',
                        help=f'its motion: {recording_files.RECORDING_FORMATS}')
    parser.add_argument('robot', metavar='ROBOT', help='the robot that follows: a file of the same '
                        'kinds, or one of the robots of this package by its name')
    parser.add_argument('map', metavar='MAP', help='which bones lead which links (.yaml)')
    parser.add_argument('--output', metavar='FILE', required=True,
                        help='where the motion of the robot is written: a JointTrajectory (.yaml) '
                        'or a table (.csv), which ik_play plays; .amc for a skeleton')
    parser.add_argument('--fps', metavar='N', type=float, default=None,
                        help='frames per second of an Acclaim motion; by default those that its '
                        'file says, else 120')
    options = parser.parse_args(arguments)
    if not options.output.lower().endswith(tuple(recording_files.WRITERS)):
        parser.error('argument --output: must end in one of '
                     f'{", ".join(recording_files.WRITERS)}, not {options.output!r}')
    return options
