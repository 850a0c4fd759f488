"""Solves poses by placo as LeRobot does, for `benchmark.lerobot`, in an interpreter that has it.

placo and pin need different libraries, so that placo has an environment of its own. This script
imports nothing else of the project. It reads pickles from its standard input: first the URDF, the
frame and the names of the joints, then blocks of joint values (k, n), degrees, and poses (k, 4, 4);
it answers each block with seconds for each call, and the joint values after it.
"""

import contextlib
import pickle
import sys
import time

import numpy as np
import placo


class Peer:
    """The calls of placo that LeRobot's `RobotKinematics` makes."""

    def __init__(self, urdf, frame, joint_names):
        """Set up the task; its target comes with the calls."""
        self.robot = placo.RobotWrapper('', int(placo.Flags.ignore_collisions), urdf)
        self.solver = placo.KinematicsSolver(self.robot)
        self.solver.mask_fbase(True)
        self.frame, self.joint_names = frame, joint_names
        self.task = self.solver.add_frame_task(frame, np.eye(4))

    def place(self, current):
        """Update the frames, as LeRobot's forward kinematics does before each call."""
        for name, value in zip(self.joint_names, np.deg2rad(current)):
            self.robot.set_joint(name, value)
        self.robot.update_kinematics()

    def solve(self, current, T):
        """Take one step of the quadratic program."""
        for name, value in zip(self.joint_names, np.deg2rad(current)):
            self.robot.set_joint(name, value)
        self.task.T_world_frame = T
        self.task.configure(self.frame, 'soft', 1.0, 0.01)
        self.solver.solve(True)
        self.robot.update_kinematics()
        return np.rad2deg([self.robot.get_joint(name) for name in self.joint_names])


def main():
    """Answer blocks until the input ends."""
    peer = Peer(*pickle.load(sys.stdin.buffer))
    while True:
        try:
            values, poses = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        seconds, found = [], values.copy()
        for k, (current, T) in enumerate(zip(values, poses)):
            peer.place(current)
            began = time.perf_counter()
            with contextlib.suppress(RuntimeError):  # no solution, as from outside the limits
                found[k] = peer.solve(current, T)
            seconds.append(time.perf_counter() - began)
        pickle.dump((seconds, found), sys.stdout.buffer)
        sys.stdout.buffer.flush()


if __name__ == '__main__':
    main()
