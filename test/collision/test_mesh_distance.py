"""Meshes as they are, where their convex hulls touch something."""

import itertools

import numpy as np
import pytest

from ik_node import make_body_solver, make_solver
from ik_node.collision import (
    Box,
    Capsule,
    CollisionModel,
    Cylinder,
    Ground,
    Mesh,
    Obstacle,
    PointCloud,
    Sphere,
    mesh_distance,
)
from ik_node.solvers.result import StopReason
from ik_node.tasks import Position
from shape_pairs import at, slider

trimesh = pytest.importorskip('trimesh', reason='trimesh is not installed (make test brings it)')
needs_coal = pytest.mark.skipif(mesh_distance.coal() is None, reason='coal 3.0.3 is not installed')


def boxes(file, *placed, inverted=False, without=0):
    """Write a mesh of boxes, (size, middle) each, without the first few of its triangles."""
    mesh = trimesh.util.concatenate([
        trimesh.creation.box(size, trimesh.transformations.translation_matrix(middle))
        for size, middle in placed])
    if inverted:
        mesh.invert()
    mesh.update_faces(np.arange(len(mesh.faces)) >= without)
    mesh.export(file)
    return Mesh(str(file))


@pytest.fixture
def channel(tmp_path):
    """Two walls and a floor, open above and at both ends: 1 to 2 m along x, 0.4 m wide inside."""
    return boxes(tmp_path / 'channel.stl', ((1.0, 0.1, 0.5), (1.5, 0.25, 0.0)),
                 ((1.0, 0.1, 0.5), (1.5, -0.25, 0.0)), ((1.0, 0.6, 0.1), (1.5, 0.0, -0.25)))


@needs_coal
def test_what_is_between_the_walls_of_a_mesh_is_free(channel):
    model = CollisionModel(slider(), [Obstacle(channel)])
    assert model.confirms
    assert model.is_free([1.5])
    assert model.contacts([1.5]) == []
    contact, = model.contacts([1.5], 0.19)  # the box is 0.04 m wide
    assert contact.is_exact
    assert contact.distance == pytest.approx(0.18, abs=1e-6)
    assert contact.point_second @ [0.0, 0.0, 1.0] == pytest.approx(-0.2, abs=1e-6) or (
        abs(contact.point_second[1]) == pytest.approx(0.2, abs=1e-6))


@needs_coal
def test_a_margin_is_kept_from_the_mesh_itself(channel):
    assert CollisionModel(slider(), [Obstacle(channel)], margin=0.17).is_free([1.5])
    assert not CollisionModel(slider(), [Obstacle(channel)], margin=0.19).is_free([1.5])


def test_without_coal_the_convex_hull_counts_and_the_contact_says_so(channel, monkeypatch):
    monkeypatch.setattr(mesh_distance, 'coal', lambda: None)
    model = CollisionModel(slider(), [Obstacle(channel, name='channel')])
    assert not model.confirms
    assert not model.is_free([1.5])
    contact, = model.contacts([1.5])
    assert not contact.is_exact
    assert str(contact).endswith("deep in 'channel' by the convex hulls of their meshes")
    ball = CollisionModel(slider(), [Obstacle(Sphere(0.1), at(1.5), name='ball')])
    assert ball.contacts([1.5])[0].is_exact


@needs_coal
@pytest.mark.parametrize('name', ['dls', 'auto', 'analytic', 'genetic', 'optimization', 'ccd'])
def test_no_solution_is_lost_to_a_hull(channel, name):
    arm = slider()
    solver = make_solver(name, arm, avoid_collisions=True, obstacles=[Obstacle(channel)])
    found = solver.solve(arm.forward([1.5]), [0.5])
    assert found.success
    assert found.q == pytest.approx([1.5], abs=1e-5)
    batch = solver.solve_batch(np.array([arm.forward([x]) for x in (0.5, 1.5)]))
    assert batch.success.all()
    path = solver.solve_path(np.array([arm.forward([x]) for x in (0.9, 1.1, 1.3)]))
    assert path.success.all()
    solver.obstacles = [Obstacle(channel, at(y=0.2))]  # a wall is where the goal is
    found = solver.solve(arm.forward([1.5]), [0.5])
    assert found.reason is StopReason.COLLISION
    assert found.contact.is_exact


@needs_coal
def test_a_velocity_leads_in_between_the_walls_of_a_mesh_and_keeps_the_margin(channel):
    solver = make_body_solver(
        'least_squares', slider().tree.body(), [Position('hand', [1.6, 0.0, 0.0])],
        avoid_collisions=True, obstacles=[Obstacle(channel)], margin=0.01)
    for y, end in ((0.0, 1.6), (0.18, 0.97), (0.195, 0.97)):  # the walls are 0.4 m apart
        solver.obstacles, q = [Obstacle(channel, at(y=y))], np.array([0.5])
        for _ in range(100):
            q = q + 0.02 * solver.velocity(q, 0.02)
            assert solver.collisions.is_free(q)
        assert q == pytest.approx([end], abs=2e-3)


@needs_coal
@pytest.mark.parametrize('name', ['analytic', 'auto', 'dls'])
def test_little_is_looked_at_where_the_hand_touches_something_at_the_goal(
        channel, name, monkeypatch):
    arm, is_free, looks = slider(), CollisionModel.is_free, []
    monkeypatch.setattr(CollisionModel, 'is_free',
                        lambda model, q: looks.append(q) or is_free(model, q))
    solver = make_solver(name, arm, avoid_collisions=True, obstacles=[Obstacle(channel, at(y=0.2))])
    assert solver.solve(arm.forward([1.5]), [0.5]).reason is StopReason.COLLISION
    assert len(looks) <= 2  # the branch, as the one that is preferred and as one of all
    assert not solver.solve_batch(arm.forward([1.5])[None]).success.any()
    assert len(looks) <= 4


@needs_coal
def test_a_body_loses_no_solution_to_a_hull(channel):
    body = slider().tree.body()
    solver = make_body_solver('least_squares', body, [Position('hand', [1.5, 0.0, 0.0])],
                              avoid_collisions=True, obstacles=[Obstacle(channel)])
    assert solver.solve([0.5]).success
    solver.obstacles = [Obstacle(channel, at(y=0.2))]
    assert solver.solve([0.5]).reason is StopReason.COLLISION


@needs_coal
@pytest.mark.parametrize('given', [{}, {'inverted': True}, {'without': 2}],
                         ids=['closed', 'inside out', 'open'])
@pytest.mark.parametrize('shape', [
    '<box size="0.04 0.04 0.04"/>', '<sphere radius="0.02"/>', 'mesh'])
def test_what_is_wholly_inside_a_mesh_touches_it(tmp_path, given, shape):
    corner = boxes(tmp_path / 'corner.stl', ((1.0, 1.0, 1.0), (1.0, 0.0, 0.0)),
                   ((0.2, 0.2, 0.2), (1.0, 0.0, 0.9)), **given)  # two parts, far from convex
    if shape == 'mesh':
        two = boxes(tmp_path / 'two.stl', ((0.1, 0.1, 0.1), (0.0, 5.0, 0.0)),
                    ((0.1, 0.1, 0.1), (0.0, 0.1, 0.0)))  # the second part alone is inside
        shape = f'<mesh filename="{two.filename}"/>'
    model = CollisionModel(slider(shape), [Obstacle(corner)])
    assert not model.is_free([1.0])
    assert model.contacts([1.0])[0].is_exact
    assert model.is_free([0.3])


@needs_coal
@pytest.mark.parametrize('shape', [
    Box((0.5, 0.5, 0.5)), Sphere(0.3), Cylinder(0.3, 0.5), Capsule(0.3, 0.5), Ground(offset=0.3),
    PointCloud([[0.0, 0.0, 0.0]], 0.3)], ids=lambda shape: type(shape).__name__)
def test_a_mesh_that_is_wholly_inside_a_shape_touches_it(tmp_path, shape):
    small = boxes(tmp_path / 'small.stl', ((0.1, 0.02, 0.02), (0.0, 0.0, 0.0)),
                  ((0.02, 0.1, 0.02), (0.0, 0.0, 0.0)))
    arm = slider(f'<mesh filename="{small.filename}"/>')
    model = CollisionModel(arm, [Obstacle(shape, at(1.0))])
    assert model.confirms
    assert not model.is_free([1.0])
    assert model.is_free([0.1]) != isinstance(shape, Ground)


@needs_coal
def test_distances_are_those_of_the_vertices_of_a_star(tmp_path):
    # Of a star of needles the nearest to a ball is the one that points at it.
    tips = np.array(list(itertools.product((-1.0, 1.0), repeat=3)))
    faces = [(0, 1, 2), (0, 2, 3), (0, 3, 1), (1, 3, 2)]
    parts = [trimesh.Trimesh(np.concatenate([[tip], 0.05 * np.eye(3)]), faces) for tip in tips]
    star = trimesh.util.concatenate(parts)
    star.export(tmp_path / 'star.obj')
    mesh = Mesh(str(tmp_path / 'star.obj'))
    model = CollisionModel(slider('<sphere radius="0.1"/>'), [Obstacle(mesh, at(2.0, 1.5, 1.0))])
    for x in (0.0, 0.5, 1.0):
        contact, = model.contacts([x], 3.0)
        nearest = min(np.linalg.norm([2.0 + tip[0] - x, 1.5 + tip[1], 1.0 + tip[2]])
                      for tip in tips)
        assert contact.distance == pytest.approx(nearest - 0.1, abs=1e-6)
        assert contact.normal == pytest.approx(
            (contact.point_second - contact.point_first) / contact.distance)


@needs_coal
def test_a_convex_mesh_needs_no_confirmation(tmp_path):
    cube = boxes(tmp_path / 'cube.stl', ((0.5, 0.5, 0.5), (0.0, 0.0, 0.0)))
    model = CollisionModel(slider(), [Obstacle(cube, at(1.0))])
    assert not model.confirms
    assert model.contacts([1.0])[0].is_exact


@needs_coal
def test_a_path_within_a_hull_ends_before_the_mesh(tmp_path):
    dead_end = boxes(tmp_path / 'end.stl', ((1.0, 0.1, 0.5), (1.5, 0.25, 0.0)),
                     ((1.0, 0.1, 0.5), (1.5, -0.25, 0.0)), ((0.1, 0.6, 0.5), (1.75, 0.0, 0.0)))
    model = CollisionModel(slider(), [Obstacle(dead_end)])
    assert model.free_part([[1.5], [1.53]]) == np.inf
    touching = 1.70 - 0.02  # the wall at the end, and half the box
    assert touching - 2e-3 < 1.65 + 0.1 * model.free_part([[1.65], [1.75]]) < touching


@needs_coal
def test_a_path_through_hulls_alone_is_free_and_ends_before_the_mesh(tmp_path, channel):
    model = CollisionModel(slider(), [Obstacle(channel)])
    assert model.free_part([[0.5], [2.5]]) == np.inf  # into the hull and out again
    wall = boxes(tmp_path / 'wall.stl', ((0.1, 0.6, 0.5), (0.0, 0.0, 0.0)))
    for x in (1.8, 3.0):  # within the hull, and beyond it
        model.obstacles = [Obstacle(channel), Obstacle(wall, at(x))]
        touching = x - 0.05 - 0.02
        assert touching - 2e-3 < 0.5 + 3.0 * model.free_part([[0.5], [3.5]]) <= touching
