"""Two arms over one table reach past one another without touching, also not with what they hold.

python examples/two_arms_one_table.py
"""

import numpy as np

from ik_node import KinematicTree, make_body_solver
from ik_node.collision import Box, Capsule, CollisionModel, Obstacle
from ik_node.support.resources import robot_file
from ik_node.tasks import Position

REACHES = [(0.20, -0.20), (0.10, -0.10), (0.0, 0.0)]  # y of left and right hand, m


def place(x: float, y: float, z: float) -> np.ndarray:
    """Return a pose (4, 4), m, without a rotation."""
    T = np.eye(4)
    T[:3, 3] = x, y, z
    return T


def main() -> None:
    """Reach for points that come together; print the distance that is left."""
    body = KinematicTree.from_urdf(robot_file('torso')).body()
    left, right = Position('left_tool0', name='left'), Position('right_tool0', name='right')
    table = Obstacle(Box((0.8, 1.4, 0.05)), place(0.6, 0.0, 0.55), name='table')
    stick = Obstacle(Capsule(0.01, 0.1), place(0.0, 0.0, 0.06), link='right_tool0', name='stick')
    solver = make_body_solver('least_squares', body, [left, right], avoid_collisions=True,
                              obstacles=[table, stick], margin=0.005)
    model, q = CollisionModel(body, [table, stick]), None
    for y_left, y_right in REACHES:
        left.target, right.target = (0.5, y_left, 0.85), (0.5, y_right, 0.75)
        result = solver.solve(q)
        nearest = min(model.contacts(result.q, 0.5), key=lambda one: one.distance)
        print(f'hands at y {y_left:+.2f} and {y_right:+.2f} m: {result.reason.value}; the nearest '
              f'pair: {nearest}')
        q = result.q


if __name__ == '__main__':
    main()
