import numpy as np
import pytest

import robots
from ik_node import Goal, KinematicTree, make_solver
from ik_node.workspace.task_rank import task_rank

ALL = (1, 1, 1, 1, 1, 1)
OFF_BY_ROUNDING = '-3.67e-06 3.67e-06 0'  # 1.5708 for π/2


def wobbly_planar_3r():
    """A planar 3R whose axes are as parallel as files that say 1.5708 make them."""
    parts = [joint for i, parent in enumerate(['base', 'link_1', 'link_2'])
             for joint in [robots.joint(f'joint_{i + 1}', 'continuous', parent, f'link_{i + 1}',
                                        xyz='0.5 0 0', rpy=OFF_BY_ROUNDING)]]
    parts.append(robots.joint('tip_fixed', 'fixed', 'link_3', 'tip', xyz='0.5 0 0'))
    return KinematicTree.from_urdf(robots.robot(*parts)).chain()


@pytest.mark.parametrize(('chain', 'rank', 'weights', 'never'), [
    (robots.scara(), 4, (1, 1, 1, 0, 0, 1), ('rx', 'ry')),
    (robots.planar(15, 10, 5), 3, (1, 1, 0, 0, 0, 1), ('z', 'rx', 'ry')),
    (robots.planar(1.0, 0.7), 2, (1, 1, 0, 0, 0, 0), ('z', 'rx', 'ry')),
    (wobbly_planar_3r(), 3, (1, 1, 0, 0, 0, 1), ('z', 'rx', 'ry')),
], ids=['scara', 'planar 3R', 'planar 2R', 'planar 3R with rounded angles'])
def test_an_arm_with_few_joints_serves_the_axes_it_was_built_for(chain, rank, weights, never):
    task = task_rank(chain)
    assert task.rank == rank
    assert tuple(task.weights) == weights
    assert task.never == never


@pytest.mark.parametrize('name', ['panda', 'ur5', 'puma560', 'irb140'])
def test_a_full_arm_serves_all_six(name):
    task = task_rank(robots.chain(name))
    assert task.rank == 6
    assert tuple(task.weights) == ALL
    assert task.never == ()


def test_five_joints_serve_the_position_and_two_rotations():
    task = task_rank(robots.chain('so101'))
    assert task.rank == 5
    assert tuple(task.weights[:3]) == (1, 1, 1)
    assert task.weights[3:].sum() == 2
    assert task.never == ()


def test_a_planar_arm_in_another_plane_serves_the_axes_of_its_tip():
    turned = KinematicTree.from_urdf(robots.robot(
        robots.joint('one', 'continuous', 'base', 'upper', axis='0 1 0'),
        robots.joint('two', 'continuous', 'upper', 'fore', xyz='0.4 0 0', axis='0 1 0'),
        robots.joint('three', 'continuous', 'fore', 'hand', xyz='0.3 0 0', axis='0 1 0'),
        robots.joint('end', 'fixed', 'hand', 'tip', xyz='0.2 0 0'))).chain()
    task = task_rank(turned)
    assert tuple(task.weights) == (1, 0, 1, 0, 1, 0)
    assert task.never == ('y', 'rx', 'rz')


def test_sliding_joints_without_limits_are_no_hindrance():
    free = robots.scara().without_limits()
    assert task_rank(free).rank == 4
    assert tuple(task_rank(free).weights) == (1, 1, 1, 0, 0, 1)


def test_it_is_described_in_a_sentence():
    assert task_rank(robots.scara()).describe() == (
        'serves 4 of 6 task axes: x, y, z, rz; it cannot turn about x and y')
    assert task_rank(robots.planar(1.0, 0.7)).describe() == (
        'serves 2 of 6 task axes at once: x, y; it cannot move along z nor turn about x and y; '
        'rz is left free')
    assert task_rank(robots.chain('ur5')).describe() == (
        'serves all 6 task axes: x, y, z, rx, ry, rz')
    assert task_rank(robots.chain('so101')).describe() == (
        'serves 5 of 6 task axes at once: x, y, z, rx, rz; ry is left free')


@pytest.mark.parametrize('chain', [
    robots.scara(), robots.planar(1.0, 0.7), robots.planar(15, 10, 5), robots.planar(2, 1, 1),
    pytest.param('so101', id='so101')])
def test_goals_with_these_weights_can_be_met(chain):
    chain = robots.chain(chain) if isinstance(chain, str) else chain
    weights = task_rank(chain).weights
    solver = make_solver('dls', chain)
    rng = np.random.default_rng(3)
    for _ in range(robots.samples(200)):
        T = chain.forward(robots.random_q(chain, rng))
        result = solver.solve(Goal(T[:3, 3], T[:3, :3], weights))
        assert result.success, result.reason
