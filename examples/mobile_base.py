"""An arm on a base that drives in any direction: how it reaches over a table.

python examples/mobile_base.py
"""

import numpy as np

from ik_node import KinematicTree, make_body_solver
from ik_node.support.resources import robot_file
from ik_node.tasks import HalfSpace, Pose

TABLE = 2.0  # m: the origin of the base stays at x below it
GOALS = [(2.5, 0.5, 0.5), (2.65, -0.8, 0.6), (0.5, -2.0, 0.5)]  # m, the tip points down


def main() -> None:
    """Print where the base stands for each goal, and how far the tip is from it."""
    body = KinematicTree.from_urdf(robot_file('arm_7r')).body(root='planar')
    print('q:', ', '.join(body.joint_names))
    tip = Pose('tool0')
    clear = HalfSpace('base_link', (0, 0, 0), (TABLE, 0, 0), (-1, 0, 0), priority=0)
    # The arm moves before the base: what weighs more moves less.
    weights = np.where([name.startswith('root') for name in body.joint_names], 4.0, 1.0)
    solver = make_body_solver('least_squares', body, [tip, clear], joint_weights=weights)

    q = body.neutral()
    for goal in GOALS:
        T_world_tip = np.diag([1.0, -1.0, -1.0, 1.0])
        T_world_tip[:3, 3] = goal
        tip.target = T_world_tip
        result = solver.solve(q)
        q = result.q
        frames = body.forward(q)
        x, y, yaw = q[:3]
        print(f'tip at {goal}: {result.reason.value}, off by '
              f'{np.abs(frames["tool0"] - T_world_tip).max():.0e}; '
              f'base at x = {x:.2f} m, y = {y:.2f} m, yaw = {np.degrees(yaw):.0f} degrees')


if __name__ == '__main__':
    main()
