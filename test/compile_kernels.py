"""Compiles the solvers' kernels into the cache, two processes at a time, before tests run.

Tests that run side by side would each compile the same ones.
"""

import multiprocessing
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import robots
from ik_node import KinematicTree, make_solver
from ik_node.solvers.jacobian.dls import DlsSolver

ITERATIVE = ('pseudoinverse', 'transpose', 'ccd')


def iterative(_):
    """Compile the solvers that iterate."""
    chain = KinematicTree.from_urdf(robots.OWN / 'planar_3r.urdf').chain()
    for name in ITERATIVE:
        make_solver(name, chain).warm_up(chain.neutral() + 0.1)


def closed_forms(_):
    """Compile the closed forms, and damped least squares, which they ask."""
    for name in ('arm_6r', 'arm_7r'):
        chain = KinematicTree.from_urdf(robots.OWN / f'{name}.urdf').chain()
        solver = make_solver('analytic', chain)
        pose = chain.forward(chain.neutral() + 0.1)
        solver.solve(pose)
        solver.solve_batch([pose])
        solver.solve_all(pose)
        solver.solve_all_batch([pose], redundancy=0.1 if name == 'arm_7r' else None)


def damped(_):
    """Compile damped least squares."""
    chain = KinematicTree.from_urdf(robots.OWN / 'planar_3r.urdf').chain()
    DlsSolver(chain).warm_up(chain.neutral() + 0.1)


if __name__ == '__main__':
    with multiprocessing.get_context('spawn').Pool(2, maxtasksperchild=1) as pool:
        for work in [pool.apply_async(job, (None,)) for job in (closed_forms, damped, iterative)]:
            work.get()
