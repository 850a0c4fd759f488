"""Meshes in parts of one colour, and with fewer triangles in the same shape."""

import numpy as np
import pytest
import trimesh

from ik_node import KinematicTree
from ik_node.model.mesh_parts import MeshPart, most_each, parts_of, simplified, whole_of
from ik_node.model.meshes import Meshes, Places
from ik_node.viewer import drawn_robot
from ik_node.viewer.drawn_robot import DrawnRobot

RED = 255, 0, 0, 255
BALL = trimesh.creation.icosphere(subdivisions=5, radius=0.1)  # 20480 triangles


def test_a_mesh_without_colours_is_one_part():
    (part,) = parts_of(BALL)
    assert part.color is None
    assert len(part.faces) == len(BALL.faces)


# Several materials in one mesh are opaque: trimesh makes a picture of them.
@pytest.mark.parametrize(('kind', 'blue'), [
    ('face', (0, 0, 255, 128)), ('vertex', (0, 0, 255, 128)), ('material', (0, 0, 255, 255))])
def test_each_colour_is_a_part_of_its_own(kind, blue):
    box, ball = trimesh.creation.box((2.0, 2.0, 2.0)), BALL.copy()
    for mesh, color in ((box, RED), (ball, blue)):
        if kind == 'material':
            mesh.visual = trimesh.visual.TextureVisuals(
                material=trimesh.visual.material.PBRMaterial(
                    baseColorFactor=np.array(color) / 255.0))
        else:
            setattr(mesh.visual, f'{kind}_colors', np.tile(
                color, (len(mesh.faces if kind == 'face' else mesh.vertices), 1)))
    both = trimesh.util.concatenate([box, ball])
    parts = {part.color: part for part in parts_of(both)}
    sizes = {tuple(round(255 * one) for one in color): np.ptp(part.vertices, axis=0)
             for color, part in parts.items()}
    assert set(sizes) == {RED, blue}
    assert sizes[RED] == pytest.approx([2.0, 2.0, 2.0])
    assert sizes[blue] == pytest.approx([0.2, 0.2, 0.2], rel=1e-3)
    assert sum(len(part.faces) for part in parts.values()) == len(both.faces)


def test_a_mesh_of_one_material_is_one_part_in_its_colour():
    ball = BALL.copy()
    ball.visual = trimesh.visual.TextureVisuals(material=trimesh.visual.material.PBRMaterial(
        baseColorFactor=(1.0, 0.0, 0.0, 1.0)))
    (part,) = parts_of(ball)
    assert part.color == (1.0, 0.0, 0.0, 1.0)


def test_a_picture_is_not_taken_apart():
    ball = BALL.copy()
    ball.visual.vertex_colors = np.random.default_rng(0).integers(
        0, 256, (len(ball.vertices), 4), dtype=np.uint8)
    assert parts_of(ball) == []


@pytest.mark.parametrize(('counts', 'total', 'most'), [
    ([], 100, 0),
    ([10, 20], 100, 20),               # all of them fit
    ([10, 20, 500], 100, 70),          # small parts stay whole
    ([10, 400, 500], 100, 45),         # large ones share the rest
    ([400, 500, 600], 90, 30)])
def test_the_largest_parts_share_what_the_small_ones_leave(counts, total, most):
    assert most_each(counts, total) == most
    assert sum(min(count, most) for count in counts) <= total


@pytest.mark.parametrize('scale', [1e-4, 1.0, 1e3])
def test_a_simplified_part_keeps_its_shape_and_colour(scale):
    fine = whole_of(BALL)._replace(color=(1.0, 0.0, 0.0, 1.0))
    fine = fine._replace(vertices=scale * fine.vertices + 5.0 * scale)
    coarse = simplified(fine, 1000)
    assert len(coarse.faces) <= 1000
    assert coarse.color == fine.color
    distances = np.linalg.norm(coarse.vertices - 5.0 * scale, axis=1)
    assert distances == pytest.approx(0.1 * scale, rel=0.01)
    mesh = trimesh.Trimesh(coarse.vertices, coarse.faces)
    assert mesh.volume == pytest.approx(BALL.volume * scale ** 3, rel=0.03)


def test_a_part_is_not_simplified_until_its_shape_is_another():
    coarse = simplified(whole_of(BALL), 8)
    assert len(coarse.faces) > 100
    assert np.linalg.norm(coarse.vertices, axis=1) == pytest.approx(0.1, rel=0.02)


def test_the_border_of_an_open_part_stays():
    grid = np.stack(np.meshgrid(np.linspace(0.0, 1.0, 40), np.linspace(0.0, 2.0, 40)), axis=-1)
    number = np.arange(1600).reshape(40, 40)
    corner = number[:-1, :-1].ravel()
    faces = np.concatenate([np.stack([corner, corner + 1, corner + 41], axis=1),
                            np.stack([corner, corner + 41, corner + 40], axis=1)])
    flat = MeshPart(np.c_[grid.reshape(-1, 2), np.zeros(1600)], faces, None)
    coarse = simplified(flat, 200)
    assert len(coarse.faces) < 400
    assert trimesh.Trimesh(coarse.vertices, coarse.faces).area == pytest.approx(2.0)


def test_a_sharp_edge_stays_sharp():
    box = trimesh.creation.box((1.0, 2.0, 3.0)).subdivide().subdivide().subdivide()
    coarse = simplified(whole_of(box), 100)
    normals = trimesh.Trimesh(coarse.vertices, coarse.faces, process=False).vertex_normals
    assert np.abs(normals).max(axis=1) == pytest.approx(1.0)  # along an axis


def test_a_small_part_is_left_as_it_is():
    part = whole_of(BALL)
    assert simplified(part, len(BALL.faces)) is part


@pytest.fixture
def two_balls(tmp_path):
    """A robot of two fine meshes and a small one."""
    BALL.export(tmp_path / 'ball.stl')
    trimesh.creation.box((0.1, 0.1, 0.1)).export(tmp_path / 'box.stl')
    links = ''.join(
        f'<link name="l{i}"><visual><geometry><mesh filename="file://{tmp_path}/{name}.stl"/>'
        '</geometry></visual></link>' for i, name in enumerate(('ball', 'ball', 'box')))
    joints = ''.join(
        f'<joint name="j{i}" type="revolute"><parent link="l{i}"/><child link="l{i + 1}"/>'
        '<axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>'
        for i in range(2))
    return KinematicTree.from_urdf(f'<robot name="balls">{links}{joints}</robot>')


def triangles(server, name):
    """Return the triangles of each mesh below a node of the scene."""
    return {path: len(handle.faces)
            for path, handle in server.scene._handle_from_node_name.items()
            if path.startswith(name) and hasattr(handle, 'faces')}


def test_the_meshes_of_a_robot_share_the_triangles(server, two_balls, tmp_path, reader):
    meshes = Meshes(Places([tmp_path]), reader)
    DrawnRobot(server, '/whole', triangles=50000).draw(two_balls, meshes)
    assert sorted(triangles(server, '/whole').values()) == [12, 20480, 20480]
    DrawnRobot(server, '/fewer', triangles=4000).draw(two_balls, meshes)
    assert sorted(triangles(server, '/fewer').values()) == [12, *2 * [pytest.approx(1994, abs=2)]]


def test_a_robot_is_drawn_with_few_triangles_until_all_are_asked_for(server, two_balls, tmp_path,
                                                                    reader):
    drawn = DrawnRobot(server, '/drawn', None)
    drawn.draw(two_balls, Meshes(Places([tmp_path]), reader))
    assert sum(triangles(server, '/drawn').values()) <= drawn_robot._TRIANGLES
    drawn.move({'j0': 0.5}, np.eye(4))
    drawn.refine(True)
    drawn.move(None, np.eye(4))
    assert sum(triangles(server, '/drawn').values()) == 2 * 20480 + 12
    assert drawn.pose('l1') == pytest.approx(two_balls.forward({'j0': 0.5})['l1'])
    drawn.refine(False)
    assert sum(triangles(server, '/drawn').values()) <= drawn_robot._TRIANGLES
