"""Shapes that are wrong, or far too many: each is refused, in a bounded time, or does no harm."""

import math
import time

import numpy as np
import pytest

from ik_node.collision import Box, CollisionModel, Mesh, Obstacle, Sphere, mesh_distance
from ik_node.model.srdf import read_disabled_collisions
from ik_node.support.exceptions import ModelError
from shape_pairs import at, slider

trimesh = pytest.importorskip('trimesh', reason='trimesh is not installed (make test brings it)')
BOUND = 120.0  # s: far more than anything here takes, on a busy machine, and far less than no bound


@pytest.fixture
def arm():
    """A box of 4 cm that moves along x, 0 to 2 m."""
    return slider()


PLY = (b'ply\nformat binary_little_endian 1.0\nelement vertex 4\nproperty float x\n'
       b'property float y\nproperty float z\nelement face 2\n'
       b'property list uchar uchar vertex_indices\nend_header\n') + bytes(48)


@pytest.mark.parametrize(('name', 'content', 'said'), [
    ('none.stl', None, 'none.stl: not found'),
    ('empty.stl', b'', 'empty.stl'),
    ('text.obj', b'no mesh at all', 'text.obj'),
    ('cut.ply', b'ply\nformat binary_little_endian 1.0\nelement vertex 9\nproperty float x\n'
                b'end_header\n', 'cut.ply'),
    ('cut.off', b'OFF\n5 3 0\n0 0 0\n2 0 0\n3 1 0\n1 2 0\n0 1 1\n5 0 1 2 3 4\n3 0 1 2\n',
     'cut.off: .* cut off'),
    ('corner.off', b'OFF\n3 2 0\n0 0 0\n2 0 0\n3 1 0\n3 0 1 2\n4 0 1 2 3\n',
     'none of the vertices'),
    ('cut_polygon.ply', PLY + b'\x03\x00\x01\x02' + b'\x04\x00', 'cut off'),
    ('corner.ply', PLY + b'\x03\x00\x01\x02' + b'\x04\x00\x01\x02\x04', 'none of the vertices'),
    ('unknown.ply', PLY.replace(b'uchar', b'text') + bytes(9), 'no PLY file'),
    ('picture.png', b'PNG', 'only stl, dae, obj'),
    ('nan.obj', b'v nan 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n', 'nan.obj'),
    ('inf.obj', b'v inf 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n', 'inf.obj'),
    ('huge.obj', b'v 1e200 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n', 'huge.obj')])
def test_a_mesh_that_is_no_mesh_is_named(arm, tmp_path, name, content, said):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(ModelError, match=said):
        CollisionModel(arm, [Obstacle(Mesh(str(tmp_path / name)))])


@pytest.mark.parametrize('kind', ['open', 'inside out', 'no volume', 'a line', 'one point'])
def test_a_mesh_of_any_kind_is_a_shape(arm, tmp_path, kind):
    mesh = trimesh.creation.box((0.2, 0.2, 0.2))
    if kind == 'open':
        mesh.update_faces(np.arange(len(mesh.faces)) > 1)
    elif kind == 'inside out':
        mesh.invert()
    else:
        mesh.vertices *= {'no volume': (1, 1, 0), 'a line': (0, 1, 0), 'one point': (0, 0, 0)}[kind]
    mesh = trimesh.Trimesh(mesh.vertices, mesh.faces, process=False)
    lines = [f'v {x} {y} {z}' for x, y, z in mesh.vertices]
    lines += [f'f {a + 1} {b + 1} {c + 1}' for a, b, c in mesh.faces]
    (tmp_path / 'mesh.obj').write_text('\n'.join(lines))
    model = CollisionModel(arm, [Obstacle(Mesh(str(tmp_path / 'mesh.obj')), at(1.0))])
    assert not model.is_free([1.0])
    assert model.is_free([0.5])


@pytest.mark.skipif(mesh_distance.coal() is None, reason='coal 3.0.3 is not installed')
def test_a_concave_polygon_covers_what_it_covers(arm, tmp_path):
    for first in range(6):  # where the fan of triangles begins
        ring = [(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)]
        ring = ring[first:] + ring[:first]
        faces = [[5, 4, 3, 2, 1, 0], [6, 7, 8, 9, 10, 11],
                 *([k, (k + 1) % 6, 6 + (k + 1) % 6, 6 + k] for k in range(6))]
        lines = ['ply', 'format ascii 1.0', 'element vertex 12', *(
            f'property float {axis}' for axis in 'xyz'), 'element face 8',
            'property list uchar int vertex_indices', 'end_header',
            *(f'{x} {y} {z}' for z in (0, 1) for x, y in ring),
            *(' '.join(map(str, [len(face), *face])) for face in faces)]
        (tmp_path / f'{first}.ply').write_text('\n'.join(lines))
        mesh = Mesh(str(tmp_path / f'{first}.ply'), (0.5, 0.5, 0.5))
        for z in (-0.25, 0.0):  # its middle, and the plane of a polygon
            model = CollisionModel(arm, [Obstacle(mesh, at(0.5, -0.75, z))])
            assert not model.is_free([0.75])
        assert CollisionModel(arm, [Obstacle(mesh, at(0.5, -0.75, -0.25))]).is_free([1.25])


@pytest.mark.slow
def test_a_mesh_of_a_million_triangles_is_read_in_a_bounded_time(arm, tmp_path):
    n = 708  # a wave of n × n squares, two triangles each
    x, y = np.meshgrid(np.linspace(-0.5, 0.5, n), np.linspace(-0.5, 0.5, n))
    points = np.stack([x, y, 0.1 * np.cos(9.0 * x) * np.cos(9.0 * y)], axis=-1).reshape(-1, 3)
    first = (np.arange(n - 1)[:, None] * n + np.arange(n - 1)).reshape(-1)
    faces = np.concatenate([np.stack([first, first + 1, first + n], axis=1),
                            np.stack([first + 1, first + n + 1, first + n], axis=1)])
    trimesh.Trimesh(points, faces, process=False).export(tmp_path / 'wave.stl')
    started = time.monotonic()
    model = CollisionModel(arm, [Obstacle(Mesh(str(tmp_path / 'wave.stl')), at(1.0))])
    assert model.is_free([0.1])
    assert not model.is_free([1.0 + 0.5 * math.pi / 9.0])  # where the wave passes zero
    assert time.monotonic() - started < BOUND


def test_ten_thousand_obstacles_are_taken_in_a_bounded_time(arm):
    started = time.monotonic()
    places = np.random.default_rng(0).uniform(-5.0, 5.0, (10_000, 3))
    places[:, 1] += np.where(np.abs(places[:, 1]) < 0.5, 3.0, 0.0)
    model = CollisionModel(arm, [Obstacle(Box((0.05, 0.05, 0.05)), at(*place))
                                 for place in places] + [Obstacle(Sphere(0.1), at(1.0))])
    assert model.is_free([0.2])
    assert not model.is_free([1.0])
    assert time.monotonic() - started < BOUND


@pytest.mark.parametrize(('text', 'said'), [
    ('<robot name="a"><disable_collisions link1="hand"/></robot>', 'must have link1 and link2'),
    ('<robot name="a"><disable_collisions', 'SRDF'),
    ('<srdf/>', 'robot'), ('', 'SRDF'), ('none.srdf', 'none.srdf')])
def test_a_wrong_srdf_is_named(arm, text, said):
    with pytest.raises(ModelError, match=said):
        read_disabled_collisions(text, arm.tree)


def test_shapes_of_links_that_are_wrong_are_named(tmp_path):
    with pytest.raises(ModelError, match="link 'hand'"):
        CollisionModel(slider(f'<mesh filename="{tmp_path}/none.stl"/>'))


@pytest.mark.skipif(mesh_distance.coal() is None, reason='coal 3.0.3 is not installed')
def test_a_mesh_of_a_thousand_parts_is_compared_in_a_bounded_time(arm, tmp_path):
    parts = [trimesh.creation.box((0.004, 0.004, 0.004),
                                  trimesh.transformations.translation_matrix(place))
             for place in np.random.default_rng(1).uniform(-0.5, 0.5, (1000, 3))
             if np.abs(place[1:]).max() > 0.1]
    trimesh.util.concatenate(parts).export(tmp_path / 'bolts.stl')
    started = time.monotonic()
    model = CollisionModel(arm, [Obstacle(Mesh(str(tmp_path / 'bolts.stl')), at(1.0))])
    assert model.is_free([1.0])  # between the bolts
    assert time.monotonic() - started < BOUND
