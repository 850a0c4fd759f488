"""Two hands carry a tray: one follows it, the other keeps its grip beside the first.

python examples/two_hands.py
"""

import numpy as np

from ik_node import KinematicTree, make_body_solver
from ik_node.support.resources import robot_file
from ik_node.tasks import Pose, RelativePose

# The hands point forward, 0.15 m to the left and to the right of the middle of the tray.
FORWARD = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])
PATH = [(0.0, 0.0), (0.1, 0.0), (0.2, 0.2), (0.1, 0.4), (0.0, 0.2)]  # lift, m, and turn, rad


def pose(x: float, y: float, z: float, rotation: np.ndarray) -> np.ndarray:
    """Return a pose (4, 4), m."""
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = rotation, (x, y, z)
    return T


def main() -> None:
    """Lift and turn the tray; print how far it is from its path, and how far the grips slip."""
    body = KinematicTree.from_urdf(robot_file('torso')).body()
    T_tray_left, T_tray_right = pose(-0.1, 0.15, 0.0, FORWARD), pose(-0.1, -0.15, 0.0, FORWARD)
    T_left_right = np.linalg.inv(T_tray_left) @ T_tray_right
    left = Pose('left_tool0', name='tray')
    grip = RelativePose('right_tool0', 'left_tool0', T_left_right, priority=0, name='grip')
    solver = make_body_solver('least_squares', body, [left, grip])

    q = None  # the first search begins at zero, each other one at the result before
    for lift, turn in PATH:
        c, s = np.cos(turn), np.sin(turn)
        T_world_tray = pose(0.5, 0.0, 0.9 + lift, np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]))
        left.target = T_world_tray @ T_tray_left
        result = solver.solve(q)
        q = result.q
        frames = body.forward(q)
        off = np.abs(frames['left_tool0'] @ np.linalg.inv(T_tray_left) - T_world_tray).max()
        slip = np.abs(np.linalg.inv(frames['left_tool0']) @ frames['right_tool0']
                      - T_left_right).max()
        print(f'lifted {lift:.1f} m, turned {turn:.1f} rad: {result.reason.value}, '
              f'tray off by {off:.0e}, grip off by {slip:.0e}')


if __name__ == '__main__':
    main()
