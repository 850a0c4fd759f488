import numpy as np
import pytest

import robots
from ik_node import KinematicTree
from ik_node.workspace.analysis import analyse_workspace
from ik_node.workspace.occupancy import Occupancy, grid_of, mark
from ik_node.workspace.sampling import ConfigurationSampler, length_scale
from ik_node.workspace.task_rank import task_rank
from ik_node.workspace.voxels import Voxels


def at_centres(workspace):
    """Return whether each voxel of the grid (v,) has a reachable centre."""
    reachable = np.zeros(workspace.voxels.size, dtype=bool)
    reachable[workspace.numbers] = workspace.centre_reachable
    return reachable


def test_every_reported_voxel_has_a_configuration_inside_the_limits_with_the_tip_in_it():
    chain = robots.chain('so101')
    workspace = analyse_workspace(chain, 0.06)
    for number, q in zip(workspace.numbers, workspace.configurations):
        assert (chain.lower <= q).all()
        assert (q <= chain.upper).all()
        assert workspace.voxels.numbers(chain.forward(q)[None, :3, 3])[0] == number
    at = workspace.centre_reachable
    tips = np.array([chain.forward(q)[:3, 3] for q in workspace.configurations[at]])
    assert np.linalg.norm(tips - workspace.centres[at], axis=1).max() < 2e-6


def test_inverse_kinematics_finds_what_a_handful_of_samples_missed():
    few = analyse_workspace(robots.planar(1.0, 0.6), 0.08, samples=16)
    many = analyse_workspace(robots.planar(1.0, 0.6), 0.08, samples=robots.samples(100_000))
    assert (few.samples > 0).sum() <= 16
    assert (at_centres(few) == at_centres(many)).all()
    spatial = [analyse_workspace(robots.scara(), 0.06, samples=count)
               for count in (64, robots.samples(60000))]
    assert at_centres(spatial[0]).sum() == pytest.approx(at_centres(spatial[1]).sum(), rel=0.01)


def test_the_bounds_cut_the_workspace():
    chain = robots.planar(1.0, 0.6)
    whole = analyse_workspace(chain, 0.1)
    half = analyse_workspace(chain, 0.1, bounds=[[0.0, -1.6, -1.0], [1.6, 1.6, 1.0]])
    assert half.volume == pytest.approx(0.5 * whole.volume, rel=0.02)
    assert half.centres[:, 0].min() > 0.0
    outside = analyse_workspace(chain, 0.1, bounds=[[2.0, 2.0, -1.0], [3.0, 3.0, 1.0]])
    assert len(outside.numbers) == 0


def test_a_tip_that_only_turns_has_one_voxel():
    wrist = KinematicTree.from_urdf(robots.robot(
        robots.joint('pan', 'continuous', 'base', 'yoke'),
        robots.joint('tilt', 'continuous', 'yoke', 'tip', axis='0 1 0'))).chain()
    workspace = analyse_workspace(wrist)
    assert workspace.voxels.shape == (1, 1, 1)
    assert workspace.centre_reachable.tolist() == [True]
    assert workspace.reach == (0.0, 0.0)


def test_a_tip_on_a_sphere_reaches_voxels_but_hardly_a_centre():
    pan_tilt = KinematicTree.from_urdf(robots.robot(
        robots.joint('pan', 'continuous', 'base', 'yoke'),
        robots.joint('tilt', 'continuous', 'yoke', 'arm', axis='0 1 0'),
        robots.joint('end', 'fixed', 'arm', 'tip', xyz='0.5 0 0'))).chain()
    workspace = analyse_workspace(pan_tilt, 0.07)
    r = np.linalg.norm(workspace.centres, axis=1)
    assert (np.abs(r - 0.5) <= 0.5 * np.sqrt(3.0) * 0.07).all()
    # The sphere crosses about 1.5 cubes for each square of its surface.
    assert 1.3 < len(workspace.numbers) * 0.07 ** 2 / np.pi < 1.7
    assert workspace.volume == pytest.approx(0.0, abs=0.02)


@pytest.mark.parametrize('name', ['panda', 'so101', 'scara'])
def test_one_configuration_leaves_its_own_figures(name):
    chain = robots.scara() if name == 'scara' else robots.chain(name)
    voxels, task, length = Voxels.around(chain, 0.1), task_rank(chain), length_scale(chain)
    q = robots.random_q(chain, np.random.default_rng(5))
    found = Occupancy.empty(voxels, chain.n_joints)
    mark(chain, grid_of(voxels, task.weights, length), q[None], 1, found)
    T, J = chain.forward(q), chain.jacobian(q)
    J = np.vstack([T[:3, :3].T @ J[:3], T[:3, :3].T @ J[3:]])[task.weights > 0]
    number = voxels.numbers(T[None, :3, 3])[0]
    assert np.flatnonzero(found.reached).tolist() == [number]
    assert found.samples.sum() == found.samples[number] == 1
    assert found.manipulability[number] == pytest.approx(np.sqrt(np.linalg.det(J @ J.T)))
    J[:3] /= length
    sigma = np.linalg.svd(J, compute_uv=False)
    assert found.conditioning[number] == pytest.approx(sigma[-1] / sigma[0])
    assert found.configuration[number] == pytest.approx(q)


def test_configurations_fill_the_limits_and_one_turn_of_a_joint_without():
    for chain in (robots.scara(), robots.planar(1, 1), robots.chain('ur5')):
        configurations = ConfigurationSampler(chain, 1).next(10)
        assert (chain.lower <= configurations).all()
        assert (configurations <= chain.upper).all()
        wide = np.minimum(chain.upper - chain.lower, 2.0 * np.pi)
        assert np.ptp(configurations, axis=0) == pytest.approx(wide, rel=0.01)
