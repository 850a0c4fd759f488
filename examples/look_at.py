"""A camera at the tip of an arm moves on a line, and keeps looking at a point.

python examples/look_at.py
"""

import numpy as np

from ik_node import KinematicTree, make_body_solver
from ik_node.support.resources import robot_file
from ik_node.tasks import LookAt, Position

POINT = np.array([0.6, 0.0, 0.0])                                    # m
START, END = np.array([0.35, -0.25, 0.5]), np.array([0.35, 0.25, 0.5])


def main() -> None:
    """Print along the line how far the camera is from it, and by which angle it looks aside."""
    body = KinematicTree.from_urdf(robot_file('arm_6r')).body()
    place = Position('tool0')
    look = LookAt('tool0', (0, 0, 1), POINT)  # the camera looks along z of tool0
    solver = make_body_solver('least_squares', body, [place, look])

    q = body.neutral()
    for part in np.linspace(0.0, 1.0, 11):
        place.target = START + part * (END - START)
        result = solver.solve(q)
        q = result.q
        T = body.forward(q)['tool0']
        off = np.linalg.norm(T[:3, 3] - place.target)
        ray, axis = POINT - T[:3, 3], T[:3, 2]
        angle = np.arctan2(np.linalg.norm(np.cross(axis, ray)), axis @ ray)
        print(f'y = {T[1, 3]:5.2f} m: {result.reason.value}, off by {off:.0e} m, '
              f'looks aside by {angle:.0e} rad')


if __name__ == '__main__':
    main()
