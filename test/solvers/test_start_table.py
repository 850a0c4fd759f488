from types import SimpleNamespace

import numpy as np
import pytest

import robots
from ik_node import Goal, KinematicTree, make_solver
from ik_node.solvers.codes import MOST_PICKED
from plain_kernels import plain

chain_kinematics, restarts, search, settings = plain(
    'kinematics.chain_kinematics', 'solvers.kernel.restarts', 'solvers.kernel.search',
    'solvers.kernel.settings')


def read(chain):
    """Return what a table reads of a chain, with the record of uncompiled kernels."""
    return SimpleNamespace(n_joints=chain.n_joints, lower=chain.lower, upper=chain.upper,
                           turns=chain.turns, record=chain_kinematics.ChainKinematics(chain.arrays))


class Table:
    """The table of a solver's chain: its entries as rows, their cells, and the kernels' record."""

    def __init__(self, solver):
        n, options = solver.chain.n_joints, solver.options
        self.record = restarts.Table(read(solver.chain), options.max_restarts, options.seed)
        count = self.record.entries
        self.entries = np.concatenate([
            np.reshape(self.record.position, (count, 3)),
            np.reshape(self.record.rotation, (count, 9)), np.reshape(self.record.q, (count, n))],
            axis=1) if count else np.empty((0, 12 + n))


def picked(solver, goal, start):
    """Return the indices that restarts for a goal begin from, best first, and the table."""
    chain, table = chain_kinematics.ChainKinematics(solver.chain.arrays), Table(solver)
    work = settings.ArmData(chain.m, chain.n)
    search.load_goal(work.task, goal.pose, goal.weights)
    own = settings.Settings(solver.options, solver.chain.arrays, solver._scale, solver._span,
                            solver.patience, solver.progress)
    count = restarts.pick_entries(chain, own, work, table.record, start.tolist())
    return np.array(work.picked[:count]), table


@pytest.mark.parametrize('name', ['panda', 'pr2', 'so101', 'ur5'])
def test_entries_are_configurations_inside_the_limits_with_the_pose_of_their_tip(name):
    chain = robots.chain(name)
    table = Table(make_solver('dls', chain))
    assert len(table.entries) >= 4000
    for row in table.entries[::500]:
        q = row[12:]
        assert robots.inside(chain, q)
        T = chain.forward(q)
        assert np.allclose(row[:3], T[:3, 3], rtol=0.0, atol=1e-12)
        assert np.allclose(row[3:12].reshape(3, 3), T[:3, :3], rtol=0.0, atol=1e-12)


def test_without_restarts_there_is_no_table():
    assert len(Table(make_solver('dls', robots.chain('panda'), max_restarts=0)).entries) == 0


def test_prismatic_joints_without_limits_have_no_table_and_are_solved():
    chain = KinematicTree.from_urdf(robots.robot(
        robots.joint('x', 'planar', 'base', 'cart'),
        robots.joint('a', 'revolute', 'cart', 'arm', limit='lower="-2" upper="2" effort="1" '
                     'velocity="1"'),
        robots.joint('t', 'fixed', 'arm', 'tip', xyz='0.3 0 0'))).chain()
    solver = make_solver('dls', chain)
    assert len(Table(solver).entries) == 0
    assert solver.solve(chain.forward(chain.neutral() + 0.5)).success


def test_restarts_begin_near_the_goal():
    chain, rng = robots.chain('panda'), np.random.default_rng(0)
    solver = make_solver('dls', chain)
    for _ in range(10):
        T = chain.forward(robots.random_q(chain, rng))
        indices, table = picked(solver, Goal.from_pose(T), chain.neutral())
        off = (np.sum((table.entries[:, :3] - T[:3, 3])**2, axis=1) / solver.settings.length**2
               + 0.25 * np.sum((table.entries[:, 3:12] - T[:3, :3].ravel())**2, axis=1))
        assert len(set(indices)) == MOST_PICKED
        # Only cells around the goal are searched: a few of the nearest may lie beyond them.
        assert len(set(indices) & set(np.argsort(off)[:2 * MOST_PICKED])) >= MOST_PICKED // 2


@pytest.mark.parametrize('weights', [(1, 1, 1, 0, 0, 0), (0, 0, 0, 1, 1, 1), (1, 1, 1, 1, 1, 0),
                                     (1, 1, 0, 0, 0, 0)])
def test_axes_left_free_do_not_count(weights):
    chain, rng = robots.chain('panda'), np.random.default_rng(2)
    solver = make_solver('dls', chain)
    T = chain.forward(robots.random_q(chain, rng))
    indices, table = picked(solver, Goal.from_pose(T, weights), chain.neutral())

    def error(row):
        position = weights[:3] * (T[:3, :3].T @ (row[:3] - T[:3, 3]))
        axes = np.array([weights[4] * weights[5], weights[5] * weights[3], weights[3] * weights[4]])
        turned = (row[3:12].reshape(3, 3) - T[:3, :3]) * axes
        return np.sum(position**2) / solver.settings.length**2 + 0.25 * np.sum(turned**2)

    all_of_them = np.sort([error(row) for row in table.entries])
    assert np.mean([error(table.entries[i]) for i in indices]) < all_of_them[len(all_of_them) // 20]


def test_an_entry_is_turned_to_the_start_by_whole_turns_inside_the_limits():
    chain = robots.chain('pr2')
    solver = make_solver('dls', chain)
    table, q = Table(solver), [0.0] * chain.n_joints
    record = chain_kinematics.ChainKinematics(chain.arrays)
    start = chain.neutral()
    turning = np.flatnonzero(~np.isfinite(chain.upper))
    assert len(turning) == 2
    start[turning] = 20.0, -35.0
    for index in range(0, len(table.entries), 400):
        restarts.take_entry(record, table.record, index, start.tolist(), q)
        q = np.array(q)
        assert (np.abs(q[turning] - start[turning]) <= np.pi + 1e-12).all()
        assert np.allclose(np.sin(q), np.sin(table.entries[index, 12:]), atol=1e-9)
        assert robots.inside(chain, q)
        q = q.tolist()


def test_restarts_from_the_table_need_few_attempts():
    """Two thirds of random initial guesses fail on this arm: 2.5 restarts and more were needed."""
    chain, rng = robots.chain('puma560'), np.random.default_rng(3)
    solver = make_solver('dls', chain)
    restarts = []
    for _ in range(robots.samples(200)):
        result = solver.solve(chain.forward(robots.random_q(chain, rng)),
                              robots.random_q(chain, rng))
        assert result.success
        restarts.append(result.restarts)
    assert np.mean(restarts) < 2.5


def test_of_entries_near_the_goal_the_nearest_to_the_start_comes_first():
    chain, rng = robots.chain('ur5'), np.random.default_rng(1)
    solver = make_solver('dls', chain)
    gained = 0.0
    for _ in range(20):
        goal = Goal.from_pose(chain.forward(robots.random_q(chain, rng)))
        start = robots.random_q(chain, rng)
        indices, table = picked(solver, goal, start)
        off = np.linalg.norm(table.entries[indices, 12:] - start, axis=1)
        gained += off.mean() - off[0]
    assert gained / 20 > 0.5
