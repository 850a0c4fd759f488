"""A humanoid reaches far forward with both feet on the floor, without balance and with it.

python examples/reach_and_balance.py
"""

import numpy as np

from ik_node import KinematicTree, make_body_solver
from ik_node.support.resources import robot_file
from ik_node.tasks import CenterOfMass, Pose, Position, Task

GOAL = (0.75, 0.1, 0.6)  # of the left palm, m; the floor is z = 0
SOLES = np.array([[-0.06, -0.12], [0.15, -0.12], [0.15, 0.12], [-0.06, 0.12]])  # x y, m


def main() -> None:
    """Print where the palm, the feet and the centre of mass are, without balance and with it."""
    body = KinematicTree.from_urdf(robot_file('humanoid')).body(root='floating')
    q0 = body.neutral()
    q0[2] = 0.97  # root_z, m: the soles are on the floor
    standing = body.forward(q0)
    feet = [Pose(sole, standing[sole], priority=0) for sole in ('left_sole', 'right_sole')]
    reach = Position('left_palm', GOAL)
    balance = CenterOfMass(polygon=SOLES, priority=0)

    without: list[Task] = [*feet, reach]
    for words, tasks in (('without balance', without), ('with balance', [*without, balance])):
        result = make_body_solver('least_squares', body, tasks).solve(q0)
        frames, center = body.forward(result.q), body.center_of_mass(result.q)
        inside = bool((SOLES.min(axis=0) <= center[:2]).all()
                      and (center[:2] <= SOLES.max(axis=0)).all())
        slip = max(np.abs(frames[sole] - standing[sole]).max()
                   for sole in ('left_sole', 'right_sole'))
        print(f'{words}: {result.reason.value}')
        print(f'  palm off by {np.linalg.norm(frames["left_palm"][:3, 3] - GOAL):.0e} m, '
              f'feet off by {slip:.0e}')
        print(f'  centre of mass at x = {center[0]:.3f} m, y = {center[1]:.3f} m: '
              f'{"above the feet" if inside else "it falls"}')


if __name__ == '__main__':
    main()
