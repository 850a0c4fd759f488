"""A node with a reachability map: queries, frames, what is refused."""

import numpy as np
import pytest
from geometry_msgs.msg import Point, Pose, PoseArray, Quaternion
from sensor_msgs.msg import PointCloud2
from std_msgs.msg import Header

import robots
from harness.node_here import running
from ik_node.spatial import quaternion_from_matrix
from ik_node.workspace import reachability_map

ARM, CHAIN = robots.OWN / 'arm_6r.urdf', robots.chain('arm_6r')
RNG = np.random.default_rng(0)
POSES = np.array([CHAIN.forward(robots.random_q(CHAIN, RNG)) for _ in range(30)])


@pytest.fixture(scope='module')
def file(tmp_path_factory):
    file = tmp_path_factory.mktemp('map') / 'arm_6r.reach.npz'
    reachability_map(CHAIN, 0.2, 8, 8).save(file)
    return file


@pytest.fixture(scope='module')
def node(file):
    with running(urdf_path=ARM, reachability_map=file) as node:
        node.clouds = node.listen(PointCloud2, 'ik_node/reachability')
        yield node


def query(node, poses, frame=''):
    """Send a query; return the cloud that comes, (k, 4), and its message."""
    before = len(node.clouds)
    node.publish(PoseArray, 'ik_node/reachability_query', PoseArray(
        header=Header(frame_id=frame), poses=[Pose(
            position=Point(**dict(zip('xyz', T[:3, 3].tolist()))),
            orientation=Quaternion(**dict(zip('xyzw', map(float, quaternion_from_matrix(
                T[:3, :3])))))) for T in poses]))
    assert node.until(lambda: len(node.clouds) > before), node.log()
    cloud = node.clouds[-1]
    assert [field.name for field in cloud.fields] == ['x', 'y', 'z', 'score']
    return np.frombuffer(bytes(cloud.data), '<f4').reshape(cloud.width, 4), cloud


@pytest.mark.parametrize('count', [30, 1, 0])
@pytest.mark.parametrize('frame', ['', 'base_link', '/base_link'])
def test_each_pose_has_the_score_of_the_map(node, count, frame):
    found, cloud = query(node, POSES[:count], frame)
    assert cloud.header.frame_id == (frame or 'base_link')
    assert found[:, :3] == pytest.approx(POSES[:count, :3, 3], abs=1e-6)
    expected = node.subject._configuration.robot.reachability.map.score(POSES[:count])
    assert found[:, 3] == pytest.approx(expected, abs=1e-5)
    assert count < 30 or (found[:, 3] > 0.0).sum() > 5


def test_poses_in_the_frame_of_a_link_are_scored_where_it_is(node):
    T = node.subject._configuration.robot.in_link('base_link', 'link_1')
    found, cloud = query(node, np.linalg.inv(T) @ POSES, 'link_1')
    assert cloud.header.frame_id == 'link_1'
    assert found[:, 3] == pytest.approx(query(node, POSES)[0][:, 3], abs=1e-4)


def test_what_is_no_pose_is_refused_and_the_node_goes_on(node):
    for pose, words in ((Pose(orientation=Quaternion(w=0.0)), 'pose 0 is none'),
                        (Pose(position=Point(x=float('nan'))), 'pose 0 is none')):
        node.publish(PoseArray, 'ik_node/reachability_query', PoseArray(poses=[pose]))
        assert node.until(lambda words=words: words in node.log())
        node.spin(1.1)
    node.publish(PoseArray, 'ik_node/reachability_query', PoseArray(
        header=Header(frame_id='nowhere'), poses=[Pose()]))
    assert node.until(lambda: "unknown frame 'nowhere'" in node.log())
    assert len(query(node, POSES)[0]) == 30
    assert node.alive()


def test_files_that_do_not_fit_are_refused_and_the_map_before_stands(node, tmp_path):
    (tmp_path / 'bad.npz').write_bytes(b'PK\x03\x04')
    reachability_map(robots.scara(), 0.3).save(tmp_path / 'scara.npz')
    for name, words in (('bad.npz', 'damaged'), ('none.npz', 'No such file'),
                        ('scara.npz', 'of another robot')):
        is_set, reason = node.set(reachability_map=str(tmp_path / name))
        assert not is_set
        assert words in reason
    assert not node.set(tip_link='link_4')[0]
    assert len(query(node, POSES)[0]) == 30


def test_the_map_is_read_once_and_without_one_a_query_is_refused(file):
    with running(urdf_path=ARM) as node:
        node.clouds = node.listen(PointCloud2, 'ik_node/reachability')
        node.publish(PoseArray, 'ik_node/reachability_query', PoseArray(poses=[Pose()]))
        assert node.until(lambda: 'the parameter reachability_map names no file' in node.log())
        assert node.set(reachability_map=str(file)) == (True, '')
        kept = node.subject._configuration.robot.reachability.map
        assert node.set(dls__max_restarts=3) == (True, '')
        assert node.subject._configuration.robot.reachability.map is kept
        assert len(query(node, POSES)[0]) == 30
        assert node.set(reachability_map='') == (True, '')
        assert node.subject._configuration.robot.reachability is None


def test_the_map_of_one_of_two_arms_scores_in_its_base_frame(tmp_path):
    chain = robots.tree('torso').chain('torso_link', 'right_tool0')
    m = reachability_map(chain, 0.3, 6, 6)
    m.save(tmp_path / 'right.npz')
    tips = {f'{side}__{end}_link': link for side in ('left', 'right') for end, link in (
        ('base', 'torso_link'), ('tip', f'{side}_tool0'))}
    with running(urdf_path=robots.OWN / 'torso.urdf', arms='[left, right]', **tips,
                 reachability_map=tmp_path / 'right.npz') as node:
        node.clouds = node.listen(PointCloud2, 'ik_node/reachability')
        poses = np.array([chain.forward(robots.random_q(chain, RNG)) for _ in range(40)])
        found, cloud = query(node, poses)
        assert cloud.header.frame_id == 'torso_link'
        assert found[:, 3] == pytest.approx(m.score(poses), abs=1e-5)
        assert found[:, 3].max() > 0.0
