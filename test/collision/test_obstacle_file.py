import numpy as np
import pytest

from ik_node import ModelError
from ik_node.collision import (
    Box,
    Capsule,
    Cylinder,
    Ground,
    Mesh,
    PointCloud,
    Sphere,
    read_obstacles,
)
from ik_node.spatial import pose_from_rpy


def read(folder, text):
    (folder / 'obstacles.yaml').write_text(text)
    return read_obstacles(folder / 'obstacles.yaml')


def test_each_shape_is_read_with_its_pose_link_and_name(tmp_path):
    np.save(tmp_path / 'scan.npy', [[0.0, 0.0, 1.0], [0.0, 0.0, 2.0]])
    found = read(tmp_path, '''
- {name: wall, box: {size: [0.1, 2, 1]}, xyz: [1, 0, 0.5], rpy: [0, 0, 1.5]}
- {name: ball, sphere: {radius: 0.1}, xyz: [0, 0, 1], quat_xyzw: [0, 0, 2, 2]}
- {name: post, cylinder: {radius: 0.05, length: 0.8}}
- {name: pole, capsule: {radius: 0.01, length: 0.3}, link: tool0}
- {name: part, mesh: {filename: part.stl, scale: [2, 2, 2]}}
- {name: other, mesh: {filename: 'package://parts/part.stl'}}
- ground:
- {name: ramp, ground: {normal: [0, 1, 1], offset: -0.1}}
- {point_cloud: {points: scan.npy, radius: 0.02}}
- {point_cloud: {points: [[1, 2, 3]], radius: 0.0}}
''')
    assert [type(one.shape) for one in found] == [
        Box, Sphere, Cylinder, Capsule, Mesh, Mesh, Ground, Ground, PointCloud, PointCloud]
    wall, ball, post, pole, part, other, ground, ramp, scan, _ = found
    assert (wall.name, wall.shape.size) == ('wall', (0.1, 2, 1))
    assert wall.pose == pytest.approx(pose_from_rpy((1, 0, 0.5), (0, 0, 1.5)))
    assert ball.pose == pytest.approx(pose_from_rpy((0, 0, 1), (0, 0, np.pi / 2)))
    assert (post.shape.radius, post.shape.length, post.link) == (0.05, 0.8, None)
    assert pole.link == 'tool0'
    assert part.shape == Mesh(str((tmp_path / 'part.stl').resolve()), (2, 2, 2))
    assert other.shape.filename == 'package://parts/part.stl'
    assert (ground.name, ground.shape.offset) == ('Ground', 0.0)
    assert ramp.shape.normal == pytest.approx([0, 0.5 ** 0.5, 0.5 ** 0.5])
    assert scan.shape.points == pytest.approx(np.array([[0, 0, 1], [0, 0, 2]]))
    assert read(tmp_path, '[]') == ()


@pytest.mark.parametrize(('text', 'words'), [
    ('{a: 1}', 'must be a list'),
    ('- 3', 'obstacle 1: it must be a mapping'),
    ('- {name: post}', "obstacle 'post': it must have one shape of 'box'"),
    ('- {box: {size: [1, 1, 1]}, sphere: {radius: 1}}', "not 'box', 'sphere'"),
    ('- {box: {size: [1, 1]}}', 'size of a Box'),
    ('- {box: {size: [1, 1, -1]}}', 'greater than 0'),
    ('- {box: {size: 1}}', 'size of a box must be a list'),
    ('- {sphere: {radius: .nan}}', 'finite'),
    ('- {sphere: {radius: 0.1, color: red}}', "no key 'color'"),
    ('- {sphere: 0.1}', 'sphere must be a mapping'),
    ('- {cylinder: {radius: 0.1}}', "cylinder must have 'length'"),
    ('- {sphere: {radius: 1}, xyz: [0, 0]}', 'xyz'),
    ('- {sphere: {radius: 1}, pose: [0, 0]}', "no key 'pose'"),
    ('- {sphere: {radius: 1}, quat_xyzw: [0, 0, 0, 0]}', 'has no direction'),
    ('- {sphere: {radius: 1}, rpy: [0, 0, 0], quat_xyzw: [0, 0, 0, 1]}', 'not both'),
    ('- {sphere: {radius: 1}, link: 3}', 'link of an obstacle'),
    ('- {point_cloud: {points: there.npy, radius: 0.1}}', 'there.npy'),
    ('- {point_cloud: {points: obstacles.yaml, radius: 0.1}}', 'numpy.save'),
    ('- {point_cloud: {points: [1, 2], radius: 0.1}}', 'shape'),
    ('- {ground: {normal: [0, 0, 0]}}', 'must not be zero'),
    ('- ]', 'not YAML'),
])
def test_what_is_wrong_is_said_and_of_which_obstacle(tmp_path, text, words):
    with pytest.raises(ModelError, match=words):
        read(tmp_path, text)
    with pytest.raises(ModelError, match='obstacles.yaml'):
        read(tmp_path, text)
