"""Measures `ik_node.lerobot` beside placo, as LeRobot calls it, on the SO-101.

Each pose is that of random joint values inside the limits, each start at most so many degrees from
them. Both take turns in blocks; times are of `inverse_kinematics` alone, from Python.
"""

import argparse
import os
import pickle
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np

from benchmark.arms import folder
from benchmark.bodies import _OWN
from benchmark.machine import machine
from ik_node import KinematicTree
from ik_node.lerobot import RobotKinematics

_BLOCK = 50
_CALLS = 10
_ROBOT = 'so_arm_description/urdf/so101.urdf'


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--poses', type=int, default=1000)
    parser.add_argument('--degrees', type=float, default=5.0, help='of the start from the pose')
    parser.add_argument('--placo', metavar='PYTHON', default=str(_OWN),
                        help='an interpreter that has placo')
    arguments = parser.parse_args()
    robot = ET.parse(folder('erd') / _ROBOT).getroot()
    for link in robot.findall('link'):  # placo would open the meshes
        link[:] = [element for element in link if element.tag == 'inertial']
    urdf = ET.tostring(robot, encoding='unicode')
    ours = RobotKinematics(urdf)
    rng, degrees = np.random.default_rng(0), arguments.degrees
    joints = KinematicTree.from_urdf(urdf).joints
    low, high = np.rad2deg([(joints[name].lower, joints[name].upper)
                            for name in ours.joint_names]).T
    goals = rng.uniform(low, high, (arguments.poses, len(low)))
    poses = np.array([ours.forward_kinematics(q) for q in goals])
    starts = np.clip(goals + rng.uniform(-degrees, degrees, goals.shape), low, high)
    kept = {name: value for name, value in os.environ.items() if name != 'LD_LIBRARY_PATH'}
    with subprocess.Popen([arguments.placo, str(Path(__file__).with_name('lerobot_peer.py'))],
                          env=kept, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        _send(process, (urdf, ours.target_frame_name, ours.joint_names))
        found = {'ik_node.lerobot': [starts], 'placo': [starts]}
        seconds: dict[str, list[float]] = {name: [] for name in found}
        for number in range(_CALLS):
            values = {name: [] for name in found}
            for first in range(0, len(poses), _BLOCK):
                part = slice(first, first + _BLOCK)
                times, q = _own(ours, found['ik_node.lerobot'][-1][part], poses[part])
                values['ik_node.lerobot'].append(q)
                seconds['ik_node.lerobot'] += times if number == 0 else []
                _send(process, (found['placo'][-1][part], poses[part]))
                times, q = pickle.load(process.stdout)
                values['placo'].append(q)
                seconds['placo'] += times if number == 0 else []
            for name, blocks in values.items():
                found[name].append(np.concatenate(blocks))
        process.stdin.close()
    print(f'{machine()}; {len(poses)} poses, starts within {degrees:g} degrees\n')
    print('| | median µs of the first call | below 1 mm after 1 call | largest, mm | '
          f'below 1 mm after {_CALLS} | largest, mm | medians, mm |\n|---|---|---|---|---|---|---|')
    for name, steps in found.items():
        first, last = (1e3 * np.array([np.linalg.norm(
            ours.forward_kinematics(q)[:3, 3] - T[:3, 3]) for q, T in zip(values, poses)])
            for values in (steps[1], steps[-1]))
        print(f'| {name} | {1e6 * np.median(seconds[name]):.1f} | {(first < 1.0).sum()} | '
              f'{first.max():.2g} | {(last < 1.0).sum()} | {last.max():.2g} | '
              f'{np.median(first):.2g}, {np.median(last):.2g} |')
    a, b = (np.median(seconds[name]) for name in found)
    print(f'\ntime of a call, ik_node.lerobot / placo: {a / b:.2f}', file=sys.stderr)


def _own(ours, values, poses):
    seconds, found = [], []
    for current, T in zip(values, poses):
        began = time.perf_counter()
        found.append(ours.inverse_kinematics(current, T))
        seconds.append(time.perf_counter() - began)
    return seconds, np.array(found)


def _send(process, value) -> None:
    pickle.dump(value, process.stdin)
    process.stdin.flush()


if __name__ == '__main__':
    main()
