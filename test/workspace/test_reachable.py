import numpy as np
import pytest

import robots
from ik_node import Goal, KinematicTree, make_solver
from ik_node.workspace.analysis import analyse_workspace
from ik_node.workspace.occupancy import Occupancy
from ik_node.workspace.reachable import ReachabilitySolver
from ik_node.workspace.sampling import ConfigurationSampler, reach_scale
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
        assert robots.inside(chain, q)
        off = chain.forward(q)[:3, 3] - workspace.voxels.centres(np.array([number]))[0]
        assert np.abs(off).max() <= 0.03 + 1e-12
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


def test_a_tip_that_nothing_moves_has_one_voxel_without_figures():
    axis = '<axis xyz="0 0 1"/>'
    chain = KinematicTree.from_urdf(
        '<robot name="still"><link name="a"/><link name="b"/><link name="c"/>'
        f'<joint name="j" type="continuous"><parent link="a"/><child link="b"/>{axis}</joint>'
        f'<joint name="k" type="continuous"><parent link="b"/><child link="c"/>{axis}'
        '<mimic joint="j" multiplier="-1"/></joint></robot>').chain()
    workspace = analyse_workspace(chain, dexterity=2)
    assert workspace.centre_reachable.tolist() == [True]
    assert workspace.manipulability.tolist() == workspace.conditioning.tolist() == [0.0]
    assert workspace.dexterity.tolist() == [0.0]


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
    voxels, task, length = Voxels.around(chain, 0.1), task_rank(chain), reach_scale(chain)
    q = robots.random_q(chain, np.random.default_rng(5))
    found = Occupancy(chain, voxels, task.weights > 0.0)
    found.mark(q[None], 1)
    T, J = chain.forward(q), chain.jacobian(q)
    J = np.vstack([T[:3, :3].T @ J[:3], T[:3, :3].T @ J[3:]])[task.weights > 0]
    number = np.abs(voxels.centres(np.arange(voxels.size)) - T[:3, 3]).sum(axis=1).argmin()
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
        assert robots.inside(chain, configurations)
        wide = np.minimum(chain.upper - chain.lower, 2.0 * np.pi)
        assert np.ptp(configurations, axis=0) == pytest.approx(wide, rel=0.01)


PLANAR = np.array([1.0, 1.0, 0.0, 0.0, 0.0, 1.0])
POSITION = np.array([1.0, 1.0, 1.0, 0.0, 0.0, 0.0])


def test_the_closed_form_decides_where_a_search_from_the_start_fails():
    chain = robots.planar(15, 10, 5, limit=2.5)
    solver = ReachabilitySolver(chain, PLANAR, restarts=0)
    dls = make_solver('dls', chain, max_restarts=0)
    rng = np.random.default_rng(2)
    quick, thorough = 0, 0
    count = robots.samples(200)
    for _ in range(count):
        T = chain.forward(robots.random_q(chain, rng))
        start = robots.random_q(chain, rng)
        quick += dls.solve(Goal.from_pose(T, PLANAR), start).success
        q, met = solver.find(T, start)
        thorough += met
        assert chain.forward(q) == pytest.approx(T, abs=1e-4)
        assert np.abs(q).max() <= 2.5
    assert thorough == count
    assert quick < count


def test_restarts_find_what_one_start_does_not():
    chain = robots.mimicking()
    rng = np.random.default_rng(2)
    goals = [chain.forward(robots.random_q(chain, rng)) for _ in range(robots.samples(200))]
    starts = [robots.random_q(chain, rng) for _ in goals]
    few, many = (sum(solver.find(T, start)[1] for T, start in zip(goals, starts))
                 for solver in (ReachabilitySolver(chain, POSITION, restarts=n) for n in (0, 20)))
    assert few < many == len(goals)


def test_what_is_out_of_reach_gets_a_no_and_a_configuration_that_points_there():
    chain = robots.planar(1.0, 0.5)
    solver = ReachabilitySolver(chain, np.array([1.0, 1.0, 0.0, 0.0, 0.0, 0.0]), restarts=2)
    T = np.eye(4)
    T[:2, 3] = 1.1, 1.1
    q, met = solver.find(T, np.array([0.1, 0.4]))
    assert not met
    assert np.linalg.norm(chain.forward(q)[:2, 3] - T[:2, 3]) < 0.15  # at least 0.056


def test_poses_of_a_general_arm_are_all_found():
    chain = robots.chain('irb140')
    solver = ReachabilitySolver(chain, np.ones(6), restarts=20)
    rng, found = np.random.default_rng(5), 0
    for _ in range(count := robots.samples(30)):
        q = robots.random_q(chain, rng)
        found += solver.find(chain.forward(q), robots.random_q(chain, rng))[1]
    assert found == count


@pytest.mark.parametrize('name', ['irb140', 'arm_7r'])
def test_what_a_long_search_finds_is_found(name):
    chain = robots.chain(name)
    solver, long = ReachabilitySolver(chain, np.ones(6), restarts=4), make_solver('dls', chain)
    rng, met = np.random.default_rng(6), 0
    for _ in range(count := robots.samples(60)):
        T = chain.forward(robots.random_q(chain, rng))
        T[:3, 3] += rng.normal(scale=0.15, size=3)  # some of them out of reach
        start = robots.random_q(chain, rng)
        found = long.solve(T, start).success
        met += found
        assert solver.find(T, start)[1] or not found
    assert 0 < met < count
