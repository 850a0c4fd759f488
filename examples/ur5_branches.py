"""All configurations of a UR5 for one pose of its tip.

python examples/ur5_branches.py
"""

import numpy as np

from ik_node import KinematicTree
from ik_node.solvers.analytic.solver import AnalyticSolver

# Rows a, alpha, d, theta of the UR5 as its maker gives them, standard convention; m and rad.
UR5 = [
    [0.0, np.pi / 2, 0.089159, 0.0],
    [-0.425, 0.0, 0.0, 0.0],
    [-0.39225, 0.0, 0.0, 0.0],
    [0.0, np.pi / 2, 0.10915, 0.0],
    [0.0, -np.pi / 2, 0.09465, 0.0],
    [0.0, 0.0, 0.0823, 0.0],
]


def main() -> None:
    """Print the branches, and how far each is from the pose."""
    chain = KinematicTree.from_dh(UR5, convention='standard').chain()
    solver = AnalyticSolver(chain)  # what make_solver('analytic', chain) returns
    print(solver.family)

    T_base_goal = chain.forward([0.4, -1.2, 1.5, -0.7, 0.9, 0.3])
    branches = solver.solve_all(T_base_goal)
    print(f'{len(branches)} branches, in degrees:')
    for q in branches:
        off = np.abs(chain.forward(q) - T_base_goal).max()
        print('  '.join(f'{angle:7.1f}' for angle in np.degrees(q)), f'   off by {off:.0e}')


if __name__ == '__main__':
    main()
