"""An arm beside a wall: poses near it are met by configurations that do not touch it.

python examples/beside_a_wall.py
"""

import numpy as np

from ik_node import KinematicTree, make_solver
from ik_node.collision import Box, CollisionModel, Ground, Obstacle
from ik_node.support.resources import robot_file


def place(x: float, y: float, z: float) -> np.ndarray:
    """Return a pose (4, 4), m, without a rotation."""
    T = np.eye(4)
    T[:3, 3] = x, y, z
    return T


def main() -> None:
    """Solve for 200 poses from random starts, without and with the option; print what touches."""
    chain = KinematicTree.from_urdf(robot_file('arm_6r')).chain()
    obstacles = [Obstacle(Box((1.6, 0.04, 1.2)), place(0.0, 0.3, 0.6), name='wall'),
                 Obstacle(Ground(), name='floor')]
    model, rng = CollisionModel(chain, obstacles), np.random.default_rng(0)
    print(f'links that always touch, and are not checked: {model.robot.always or "none"}')
    drawn = rng.uniform(np.maximum(chain.lower, -np.pi), np.minimum(chain.upper, np.pi),
                        (2000, chain.n_joints))
    poses = [chain.forward(q) for q in drawn if model.is_free(q)][:200]

    for avoids in (False, True):
        solver = (make_solver('dls', chain, avoid_collisions=True, obstacles=obstacles) if avoids
                  else make_solver('dls', chain))
        starts = np.random.default_rng(1).permutation(drawn)
        results = [solver.solve(pose, start) for pose, start in zip(poses, starts)]
        touching = [contacts[0] for one in results if (contacts := model.contacts(one.q))]
        print(f'{"with" if avoids else "without"} avoid_collisions: '
              f'{sum(one.success for one in results)} of {len(poses)} poses are met, '
              f'{len(touching)} configurations touch something, '
              f'{1e6 * np.median([one.solve_time for one in results]):.0f} µs each')
        if touching:
            print(f'    such as: {touching[0]}')


if __name__ == '__main__':
    main()
