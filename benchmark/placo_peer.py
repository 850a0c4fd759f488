"""Solves goals with placo, for `benchmark.bodies`, in an interpreter that has it.

placo and pin need different libraries, so that placo has an environment of its own. This script
imports nothing else of the project. It reads pickles from its standard input: first the robot, then
blocks of goals; it answers each block with seconds and errors per goal.
"""

import pickle
import sys
import time

import numpy as np
import placo

_MOST = 60  # steps


class Peer:
    """A robot, its tasks, and placo's solver: each call of it is one step of a quadratic program.

    robot: {urdf, links, floating, balances, tolerance}.
    """

    def __init__(self, robot):
        """Set up the tasks; their targets come with the goals."""
        self.robot = placo.RobotWrapper('', int(placo.Flags.ignore_collisions), robot['urdf'])
        self.solver = self.robot.make_solver()
        self.solver.enable_joint_limits(True)
        self.solver.mask_fbase(not robot['floating'])
        self.links, self.tolerance = robot['links'], robot['tolerance']
        self.tasks = [self.solver.add_frame_task(link, np.eye(4)) for link in self.links]
        for task, link in zip(self.tasks, self.links):
            task.configure(link, 'soft', 1.0, 1.0)
        self.com = self.solver.add_com_task(np.zeros(3)) if robot['balances'] else None
        # The least that keeps the quadratic program regular where joints are redundant.
        self.solver.add_regularization_task(1e-6)

    def configuration(self, goal):
        """Return placo's q of the start of a goal: {joint: value}, and the pose of the root."""
        self.robot.set_T_world_fbase(goal['root'])
        for name, value in goal['joints'].items():
            self.robot.set_joint(name, value)
        return np.array(self.robot.state.q)

    def solve(self, goal, q0, steps):
        """Set the targets and take steps from q0."""
        self.robot.state.q = q0
        self.robot.update_kinematics()
        for task, T in zip(self.tasks, goal['targets']):
            task.T_world_frame = T
        if self.com is not None:
            self.com.target_world = goal['com']
        for _ in range(steps):
            self.solver.solve(True)
            self.robot.update_kinematics()

    def misses(self, goal):
        """Return the largest error in m and in rad."""
        position, orientation = 0.0, 0.0
        for link, T in zip(self.links, goal['targets']):
            here = np.array(self.robot.get_T_world_frame(link))
            position = max(position, np.linalg.norm(here[:3, 3] - T[:3, 3]))
            R = here[:3, :3].T @ T[:3, :3]
            axial = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
            orientation = max(orientation, np.arctan2(np.linalg.norm(axial), np.trace(R) - 1.0))
        if self.com is not None:
            position = max(position, np.linalg.norm(self.robot.com_world() - goal['com']))
        return position, orientation

    def measure(self, goal):
        """Return the time, s, of as many steps as this goal needs, and the errors after them.

        How many that is, is found before: placo is not charged for looking whether it is there.
        """
        q0 = self.configuration(goal)
        steps, errors = 0, (np.inf, np.inf)
        self.solve(goal, q0, 0)
        while steps < _MOST and not max(errors) <= self.tolerance:
            self.solver.solve(True)
            self.robot.update_kinematics()
            steps, errors = steps + 1, self.misses(goal)
        started = time.perf_counter()
        self.solve(goal, q0, steps)
        return time.perf_counter() - started, errors, steps


def main():
    """Answer blocks of goals until the input ends."""
    source, sink = sys.stdin.buffer, sys.stdout.buffer
    peer = Peer(pickle.load(source))
    while True:
        try:
            goals = pickle.load(source)
        except EOFError:
            return
        pickle.dump([peer.measure(goal) for goal in goals], sink)
        sink.flush()


if __name__ == '__main__':
    main()
