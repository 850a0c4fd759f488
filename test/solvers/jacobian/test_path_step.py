"""Long steps lead the tip off the straight path: bound them."""

import numpy as np
import pytest

import robots
from ik_node import Goal, StopReason, make_solver


def astray(chain, goal, configurations):
    """Return the tip's greatest distance from the straight path, m, the joints moving evenly."""
    start = chain.forward(configurations[0])[:3, 3]
    path = (goal.pose[:3, 3] - start) / np.linalg.norm(goal.pose[:3, 3] - start)
    worst = 0.0
    for i in range(1, len(configurations)):
        for part in np.linspace(0.0, 1.0, 6)[1:]:
            q = (1.0 - part) * configurations[i - 1] + part * configurations[i]
            off = chain.forward(q)[:3, 3] - start
            worst = max(worst, np.linalg.norm(off - (off @ path) * path))
    return worst


def by_steps(solver, goal, q):
    """Return the configurations that bare steps pass, until they are there."""
    configurations = [q]
    while len(configurations) < 400:
        dq = solver.step(goal, configurations[-1])
        if np.abs(dq).max() < 1e-7:
            break
        configurations.append(configurations[-1] + dq)
    return configurations


def by_iterations(name, chain, goal, q, count, **options):
    """Return the configurations that the iterations of a solve pass."""
    return [q] + [make_solver(name, chain, max_restarts=0, max_iterations=i + 1, bias_gain=0.0,
                              **options).solve(goal, q).q for i in range(count)]


def far(name):
    """Return (chain, a goal half a metre or so away, a start that is not singular)."""
    chain = robots.chain(name)
    start = {'panda': robots.middle(chain),
             'iiwa14': np.array([0.2, 0.7, -0.3, -1.0, 0.4, 0.8, 0.1])}[name]
    q = start + np.random.default_rng(100).uniform(-0.8, 0.8, chain.n_joints)
    return chain, Goal.from_pose(chain.forward(q)), start


@pytest.mark.parametrize('name', ['pseudoinverse', 'dls'])
def test_the_tip_keeps_near_the_straight_path(name):
    for chain, goal, q in (
            far('panda'), far('iiwa14'),
            (robots.planar(15.0, 10.0, 5.0), Goal(position=[-20.0, 5.0, 0.0]),
             np.array([np.pi / 8, np.pi / 4, np.pi / 4]))):
        long = by_steps(make_solver(name, chain), goal, q)
        step = np.linalg.norm(goal.pose[:3, 3] - chain.forward(q)[:3, 3]) / 40.0
        short = by_steps(make_solver(name, chain, path_step=step), goal, q)
        assert chain.forward(short[-1])[:3, 3] == pytest.approx(goal.pose[:3, 3], abs=1e-6)
        assert astray(chain, goal, short) < 0.1 * astray(chain, goal, long)


@pytest.mark.parametrize('name', ['pseudoinverse', 'dls'])
def test_a_solve_takes_the_same_path(name):
    chain, goal, q = far('panda')
    options = {'path_step': 0.02}
    found = make_solver(name, chain, max_restarts=0, bias_gain=0.0, **options).solve(goal, q)
    assert found.success
    assert found.restarts == 0
    assert found.iterations > 10
    short = by_iterations(name, chain, goal, q, found.iterations, **options)
    long = by_iterations(name, chain, goal, q, 8)
    assert astray(chain, goal, short) < 0.15 * astray(chain, goal, long)


@pytest.mark.parametrize('name', ['pseudoinverse', 'dls', 'transpose'])
def test_the_position_and_the_orientation_are_shortened_each_to_its_own(name):
    chain = robots.chain('panda')
    q = robots.random_q(chain, np.random.default_rng(101), inside=0.5)
    start = chain.forward(q)
    solver = make_solver(name, chain, path_step=0.1, bias_gain=0.0)
    plain = make_solver(name, chain, bias_gain=0.0)

    def pose(shift, turn):
        c, s = np.cos(turn), np.sin(turn)
        T = start.copy()
        T[:3, 3] += [0.0, 0.6 * shift, 0.8 * shift]
        T[:3, :3] = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]) @ T[:3, :3]
        return T

    for wanted, given in [((0.3, 0.5), (0.1, 0.1)), ((0.3, 0.05), (0.1, 0.05)),
                         ((0.05, 0.5), (0.05, 0.1)), ((0.05, 0.05), (0.05, 0.05))]:
        assert solver.step(pose(*wanted), q) == pytest.approx(plain.step(pose(*given), q), rel=1e-9)


def test_axes_that_are_free_do_not_count():
    chain = robots.chain('panda')
    q = robots.random_q(chain, np.random.default_rng(102), inside=0.5)
    pose = chain.forward(q)
    pose[:3, 3] += 1.0
    solver = make_solver('pseudoinverse', chain, path_step=0.1)
    free = Goal.from_pose(pose, (0, 0, 0, 1, 1, 1))
    assert solver.step(free, q) == pytest.approx(np.zeros(7), abs=1e-12)


def test_a_far_goal_takes_at_least_its_distance_over_the_step_and_no_fewer_iterations():
    chain = robots.planar(1.0, 0.8, 0.6)
    q, goal = np.array([0.2, 0.9, 0.5]), Goal(position=[-0.8, 1.2, 0.0])
    distance = np.linalg.norm(goal.position - chain.forward(q)[:3, 3])
    options = {'path_step': 0.01, 'max_restarts': 0}
    patient = make_solver('dls', chain, max_iterations=1000, **options).solve(goal, q)
    assert patient.success
    assert distance / 0.01 - 2 < patient.iterations < 1.2 * distance / 0.01
    assert make_solver('dls', chain, **options).solve(goal, q).reason is StopReason.ITERATIONS
