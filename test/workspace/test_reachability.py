import itertools
import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import robots
from ik_node import Goal, InputError, KinematicTree, UnsupportedError, make_solver
from ik_node.collision import Box, Obstacle
from ik_node.spatial import screw
from ik_node.workspace import ReachabilityMap, reachability_map

COARSE = {'resolution': 0.2, 'directions': 10, 'turns': 10}


def at(x, y, z=0.0, yaw=0.0):
    T = screw(yaw, 0.0, 2)
    T[:3, 3] = x, y, z
    return T


def random_poses(chain, count, seed=0, reach=0.9):
    """Return poses in a cube around the first joint, with random orientations."""
    from ik_node.kinematics.reach import extent
    rng, own = np.random.default_rng(seed), extent(chain.arrays)
    T = np.tile(np.eye(4), (count, 1, 1))
    T[:, :3, :3] = Rotation.random(count, random_state=seed).as_matrix()
    T[:, :3, 3] = own.centre + rng.uniform(-reach, reach, (count, 3)) * own.reach
    return T


def truth(chain, poses, weights=None, **options):
    solver = make_solver('auto', chain, max_restarts=30, **options)
    return np.array([solver.solve(Goal.from_pose(T, weights)).success for T in poses])


def test_a_planar_2r_reaches_its_annulus():
    m = reachability_map(robots.planar(1.0, 0.6), resolution=0.05)
    assert m.structure.startswith('1D: 0.05 m voxels; the first joint turns freely')
    for radius, yaw in itertools.product((0.41, 0.45, 1.0, 1.55, 1.59), (0.0, 2.0, -3.0)):
        assert m.reachable(at(radius * math.cos(yaw), radius * math.sin(yaw), yaw=1.0))
    for radius in (0.0, 0.2, 0.39, 1.61, 2.0, 50.0):
        assert not m.reachable(at(0.0, radius))
        assert m.score(at(0.0, radius)) == 0.0


def test_the_border_of_an_annulus_is_met_within_a_tenth_of_a_cell():
    m = reachability_map(robots.planar(1.0, 0.6), resolution=0.2)
    radii = np.linspace(0.0, 2.0, 2001)
    found = m.reachable(np.array([at(radius, 0.0) for radius in radii]))
    assert radii[found].min() == pytest.approx(0.4, abs=0.02)
    assert radii[found].max() == pytest.approx(1.6, abs=0.02)


def test_a_planar_3r_reaches_headings_of_its_last_link():
    # The wrist, 0.4 m behind the tip, must be in the annulus of the first two links.
    m = reachability_map(robots.planar(1.0, 0.8, 0.4), resolution=0.05)
    rng = np.random.default_rng(1)
    for x, y, yaw in rng.uniform((-2.3, -2.3, -4.0), (2.3, 2.3, 4.0), (300, 3)):
        wrist = math.hypot(x - 0.4 * math.cos(yaw), y - 0.4 * math.sin(yaw))
        if min(abs(wrist - 0.2), abs(wrist - 1.8)) > 0.02:
            assert m.reachable(at(x, y, yaw=yaw)) == (0.2 < wrist < 1.8), (x, y, yaw)


def test_the_limits_of_the_first_joint_leave_a_sector_without_the_rest():
    # At 1.58 m the tip is 0.122 rad beside the first link, which turns by up to 0.5 rad.
    m = reachability_map(robots.planar(1.0, 0.6, limit=0.5), resolution=0.02)
    for angle, expected in ((0.0, True), (0.55, True), (-0.55, True), (0.75, False),
                            (-0.75, False), (3.0, False)):
        assert m.reachable(at(1.58 * math.cos(angle), 1.58 * math.sin(angle))) == expected, angle


def test_an_arm_on_a_rail_reaches_what_its_geometry_says():
    # A rail of ±1 m along x, then links of 0.6 and 0.4 m that turn in the plane.
    limit = 'lower="-1" upper="1" effort="1" velocity="1"'
    chain = KinematicTree.from_urdf(robots.robot(
        robots.joint('rail', 'prismatic', 'base', 'cart', axis='1 0 0', limit=limit),
        robots.joint('one', 'continuous', 'cart', 'upper'),
        robots.joint('two', 'continuous', 'upper', 'fore', xyz='0.6 0 0'),
        robots.joint('end', 'fixed', 'fore', 'tip', xyz='0.4 0 0'))).chain()
    m, rng = reachability_map(chain, 0.05), np.random.default_rng(5)
    agree = []
    for x, y, yaw in rng.uniform((-2.0, -1.2, -3.2), (2.0, 1.2, 3.2), (400, 3)):
        across, along = y - 0.4 * math.sin(yaw), x - 0.4 * math.cos(yaw)
        half = math.sqrt(max(0.36 - across ** 2, 0.0))
        expected = abs(across) <= 0.6 and min(abs(along - half), abs(along + half)) <= 1.0
        agree.append(m.reachable(at(x, y, yaw=yaw)) == expected)
    assert np.mean(agree) > 0.97


def test_a_scara_reaches_the_heights_of_its_quill_only():
    chain = robots.scara()
    m = reachability_map(chain, resolution=0.05)
    inside = chain.forward([0.3, 0.8, 0.1, 0.2])
    assert m.structure.startswith('3D: 0.05 m voxels × 36 turns')
    assert m.reachable(inside)
    for height, expected in ((0.21, True), (0.39, True), (0.17, False), (0.43, False)):
        inside[2, 3] = height
        assert m.reachable(inside) == expected


@pytest.mark.parametrize(('name', 'form'), [
    ('ur5', '4D'), ('panda', '5D'), ('pr2', '4D'), ('so101', '4D')])
def test_random_poses_agree_with_inverse_kinematics(name, form):
    chain = robots.chain(name)
    m = reachability_map(chain, 0.06 if name == 'so101' else 0.1, 18, 18)
    assert m.structure.startswith(form)
    poses = random_poses(chain, robots.samples(1500))
    expected, found = truth(chain, poses, m.lattice.weights), m.reachable(poses)
    sure = m.reachable(poses, conservative=True)
    assert (found == expected).mean() > 0.94
    assert (found & ~expected).mean() < 0.015
    assert (sure & ~expected).mean() < 0.002
    assert sure.sum() > 0.1 * expected.sum()
    assert (found | ~sure).all()


def test_centres_of_cells_are_what_inverse_kinematics_says():
    chain = robots.chain('ur5')
    m = reachability_map(chain, **COARSE)
    lattice, rng = m.lattice, np.random.default_rng(0)
    cells = rng.choice(np.flatnonzero(m.depth > -0.99), robots.samples(500))
    x, y, z, inclination = (lattice.origin + lattice.step * (
        np.array(np.unravel_index(cells, lattice.shape)).T + 0.5)).T
    T = np.tile(np.eye(4), (len(cells), 1, 1))
    T[:, :3, :3] = Rotation.from_euler('y', inclination[:, None]).as_matrix()
    T[:, :3, 3] = np.column_stack([x, y, z])
    poses = np.linalg.inv(lattice.T_joint_base) @ T @ np.linalg.inv(lattice.T_tip_wrist)
    assert (m.reachable(poses) == truth(chain, poses)).mean() >= 0.995


def test_turning_the_pose_about_a_free_first_joint_changes_nothing():
    m, rng = reachability_map(robots.chain('ur5'), **COARSE), np.random.default_rng(3)
    poses = random_poses(robots.chain('ur5'), 100)
    turned = np.array([screw(angle, 0.0, 2) for angle in rng.uniform(-7.0, 7.0, 100)]) @ poses
    assert m.score(turned) == pytest.approx(m.score(poses), abs=1e-6)
    assert 0 < m.reachable(poses).sum() < 100


def test_the_number_of_threads_does_not_change_a_bit():
    chain = robots.chain('panda')
    one, three = (reachability_map(chain, 0.25, 6, 6, exact=True, workers=k) for k in (1, 3))
    for name in ('depth', 'manipulability', 'rows', 'headings'):
        assert (getattr(one, name) == getattr(three, name)).all()
    other = reachability_map(chain, 0.25, 6, 6, seed=1)
    assert (other.manipulability != one.manipulability).any()


def test_exact_finds_no_fewer_centres():
    chain = robots.chain('so101')
    quick, exact = (reachability_map(chain, 0.06, 10, exact=which) for which in (False, True))
    assert ((exact.depth > 0) | ~(quick.depth > 0)).all()


def test_what_touches_an_obstacle_does_not_count():
    chain = KinematicTree.from_urdf(robots.OWN / 'arm_7r.urdf').chain()
    wall = [Obstacle(Box((0.1, 2.0, 2.0)), at(0.35, 0.0, 0.5))]
    free = reachability_map(chain, **COARSE)
    beside = reachability_map(chain, **COARSE, obstacles=wall)
    poses = random_poses(chain, robots.samples(300), reach=0.7)
    behind = poses[:, 0, 3] > 0.42
    assert free.reachable(poses[behind]).mean() > 0.1
    assert not beside.reachable(poses[behind]).any()
    expected = truth(chain, poses, avoid_collisions=True, obstacles=wall)
    assert (beside.reachable(poses) == expected).mean() > 0.9


def test_a_saved_map_is_the_same(tmp_path):
    chain = robots.chain('panda')
    m = reachability_map(chain, 0.25, 6, 6)
    m.save(tmp_path / 'panda.reach.npz')
    read = ReachabilityMap.load(tmp_path / 'panda.reach.npz', chain)
    poses = random_poses(chain, 200)
    assert (read.score(poses) == m.score(poses)).all()
    assert (read.structure, read.info) == (m.structure, m.info)
    with np.load(tmp_path / 'panda.reach.npz') as archive:
        assert archive['depth'].shape == m.lattice.shape


def test_files_that_do_not_fit_are_refused(tmp_path):
    m, file = reachability_map(robots.planar(1.0, 0.6), 0.2), tmp_path / 'a.reach.npz'
    m.save(file)
    with pytest.raises(InputError, match='of another robot: of .base. to .tip'):
        ReachabilityMap.load(file, robots.planar(1.0, 0.7))
    with np.load(file) as archive:
        arrays = dict(archive)
    for change, words in (({'version': np.array(9)}, 'has version 9'),
                          ({'rows': arrays['rows'] + 5}, 'damaged: its arrays do not fit'),
                          ({'depth': arrays['depth'] * np.nan}, 'damaged'),
                          ({'step': -arrays['step']}, 'damaged')):
        np.savez(file, **(arrays | change))
        with pytest.raises(InputError, match=words):
            ReachabilityMap.load(file)
    np.savez(file, points=np.zeros(3))
    with pytest.raises(InputError, match='it has the keys points'):
        ReachabilityMap.load(file)
    file.write_bytes(b'PK\x03\x04 and so on')
    with pytest.raises(InputError, match='damaged'):
        ReachabilityMap.load(file)
    with pytest.raises(FileNotFoundError):
        ReachabilityMap.load(tmp_path / 'none.npz')


def test_a_file_with_changed_bytes_is_refused_or_read(tmp_path):
    file, rng = tmp_path / 'a.reach.npz', np.random.default_rng(0)
    reachability_map(robots.chain('arm_6r'), 0.4, 3, 3).save(file)
    data, refused = file.read_bytes(), 0
    for _ in range(robots.samples(300)):
        changed = np.frombuffer(data, np.uint8).copy()
        changed[rng.integers(len(changed), size=5)] = rng.integers(256, size=5)
        file.write_bytes(changed.tobytes()[:rng.integers(len(data) // 2, 2 * len(data))])
        try:
            ReachabilityMap.load(file)
        except InputError:
            refused += 1
    assert refused > 50


def test_a_full_disk_leaves_the_old_file(tmp_path, monkeypatch):
    m, file = reachability_map(robots.planar(1.0, 0.6), 0.2), tmp_path / 'a.reach.npz'
    file.write_text('old')

    def full(*arguments, **named):
        raise OSError(28, 'No space left on device')
    monkeypatch.setattr(np, 'savez_compressed', full)
    with pytest.raises(OSError, match=r"No space left on device: '.*a.reach.npz'"):
        m.save(file)
    assert file.read_text() == 'old'
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize(('options', 'words'), [
    ({'resolution': 0.0}, 'resolution .* must be above 0'),
    ({'resolution': 1e-4}, 'larger resolution'), ({'directions': 1}, 'directions'),
    ({'turns': 0}, 'turns'), ({'workers': 0}, 'workers'),
    ({'progress': 3}, 'progress'), ({'resolution': math.nan}, 'finite')])
def test_invalid_options_are_refused(options, words):
    with pytest.raises(InputError, match=words):
        reachability_map(robots.chain('panda'), **options)


def test_poses_that_are_none_are_refused():
    m = reachability_map(robots.planar(1.0, 0.6), 0.2)
    for pose, words in ((np.full((4, 4), np.nan), 'finite'), (np.eye(3), r'\(…, 4, 4\)'),
                        (2.0 * np.eye(4), 'is no pose'), ([np.eye(4), -np.eye(4)], 'pose 1')):
        with pytest.raises(InputError, match=words):
            m.reachable(pose)
    assert m.reachable(np.zeros((0, 4, 4))).shape == (0,)
    assert m.reachable(np.tile(np.eye(4), (2, 3, 1, 1))).shape == (2, 3)


def test_a_prismatic_joint_without_limits_is_refused():
    tree = KinematicTree.from_urdf(robots.robot(
        robots.joint('rail', 'prismatic', 'base', 'cart',
                     limit='lower="-inf" upper="inf" effort="1" velocity="1"'),
        robots.joint('turn', 'continuous', 'cart', 'tip', xyz='1 0 0')))
    with pytest.raises(UnsupportedError, match="'rail' is prismatic without limits"):
        reachability_map(tree.chain())
