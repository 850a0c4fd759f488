"""The mass of links without inertials: that of their shapes at the density of water."""

import numpy as np
import pytest
from scipy.integrate import quad

import robots
from ik_node import KinematicTree
from ik_node.model.geometry import Box, Capsule, Collision, Cylinder, Mesh, Sphere, Visual
from ik_node.model.joints import Joint
from ik_node.model.parts import Inertial
from ik_node.model.substitutes import inertial_of, with_shape_inertials
from task_bodies import placed


def tree(visuals=None, collisions=None, inertials=None):
    """Return two links, the second half a metre from the first."""
    return KinematicTree(['a', 'b'], [Joint('j', 'revolute', 'a', 'b', placed(0.5, 0, 0),
                                            np.eye(3)[2], -1.0, 1.0)], visuals=visuals,
                         collisions=collisions, inertials=inertials)


@pytest.mark.parametrize(('shape', 'mass', 'moments'), [
    (Box((1.0, 2.0, 3.0)), 6000.0, [6500.0, 5000.0, 2500.0]),
    (Sphere(0.5), 500.0 * np.pi / 3.0, np.full(3, 50.0 * np.pi / 3.0)),
    (Cylinder(0.5, 2.0), 500.0 * np.pi, 500.0 * np.pi * np.array([19 / 48, 19 / 48, 0.125]))])
def test_solids_have_the_moments_of_the_handbook(shape, mass, moments):
    found = inertial_of([Visual(shape)])
    assert found.mass == pytest.approx(mass)
    assert found.center.tolist() == [0.0, 0.0, 0.0]
    assert found.inertia == pytest.approx(np.diag(moments), abs=1e-9)
    assert not found.problems()


def test_a_capsule_has_the_integrals_over_its_discs():
    r, h = 0.3, 0.7
    def disc(z):
        return max(r * r - max(abs(z) - 0.5 * h, 0.0) ** 2, 0.0)  # radius squared
    def integral(of):
        bounds = (-0.5 * h - r, -0.5 * h, 0.5 * h, 0.5 * h + r)
        return 1000.0 * np.pi * sum(quad(lambda z: of(disc(z), z), *bounds[k:k + 2])[0]
                                    for k in range(3))
    found = inertial_of([Visual(Capsule(r, h))])
    across = integral(lambda r2, z: r2 * (r2 / 4.0 + z * z))
    assert found.mass == pytest.approx(integral(lambda r2, _z: r2), rel=1e-9)
    assert found.inertia == pytest.approx(np.diag(
        [across, across, integral(lambda r2, _z: r2 * r2 / 2.0)]), rel=1e-9)


def test_two_halves_turned_about_are_the_whole():
    turned = placed(0.3, 0.2, 0.1, (0.3, -0.8, 0.5))
    halves = [Collision(Box((0.5, 0.2, 0.3)), turned @ placed(x, 0, 0)) for x in (-0.25, 0.25)]
    whole, found = inertial_of([Collision(Box((1.0, 0.2, 0.3)), turned)]), inertial_of(halves)
    assert found.mass == pytest.approx(whole.mass)
    assert found.center == pytest.approx(whole.center)
    assert found.inertia == pytest.approx(whole.inertia)


def test_collision_shapes_come_before_visual_ones_and_inertials_before_both():
    big, small = Box((1.0, 1.0, 1.0)), Box((0.1, 0.1, 0.1))
    both = {'visuals': {'b': [Visual(big)]}, 'collisions': {'b': [Collision(small)]}}
    assert with_shape_inertials(tree(**both))['b'].mass == pytest.approx(1.0)
    own = with_shape_inertials(tree(**both, inertials={'b': Inertial(7.0)}))
    assert own['b'].mass == 7.0
    meshes = {'visuals': both['visuals'], 'collisions': {'b': [Collision(Mesh('b.stl'))]}}
    assert with_shape_inertials(tree(**meshes))['b'].mass == pytest.approx(1000.0)


def test_links_with_meshes_only_and_robots_without_anything_get_rods():
    meshes = with_shape_inertials(tree({'a': [Visual(Mesh('a.stl'))]}))
    bare = with_shape_inertials(tree())
    assert meshes['a'].mass == pytest.approx(bare['a'].mass)
    assert bare['a'].mass > 0.0
    assert 'b' not in meshes  # a frame without shapes, of a robot that has some
    assert bare['b'].mass > 0.0
    planar = with_shape_inertials(robots.planar(1.0, 2.0).tree)
    assert all(not inertial.problems() for inertial in planar.values())
