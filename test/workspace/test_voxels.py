import numpy as np
import pytest

import robots
from ik_node import IkError, KinematicTree
from ik_node.workspace.voxels import MOST_VOXELS, Voxels


def test_the_grid_holds_every_position_of_the_tip():
    chain = robots.chain('panda')
    voxels = Voxels.around(chain, 0.1)
    rng = np.random.default_rng(0)
    tips = np.array([chain.forward(robots.random_q(chain, rng))[:3, 3] for _ in range(200)])
    assert (voxels.origin <= tips).all()
    assert (tips <= voxels.origin + 0.1 * np.array(voxels.shape)).all()


def test_centres_are_numbered_with_z_as_the_fastest_index():
    voxels = Voxels.around(robots.scara(), 0.07)
    centres = voxels.centres(np.arange(voxels.size)).reshape(*voxels.shape, 3)
    for x, y, z in ((0, 0, 0), (1, 2, 3), np.array(voxels.shape) - 1):
        assert centres[x, y, z] == pytest.approx(voxels.origin + 0.07 * (np.array([x, y, z]) + 0.5))


def lifted():
    """A planar 2R whose tip is 0.4 m above its base."""
    return KinematicTree.from_urdf(robots.robot(
        robots.joint('one', 'continuous', 'base', 'upper', xyz='0 0 0.3'),
        robots.joint('two', 'continuous', 'upper', 'tip', xyz='0.5 0 0.1'),
        robots.joint('end', 'fixed', 'tip', 'tool', xyz='0.4 0 0'))).chain()


def test_a_planar_arm_has_one_layer_at_the_height_of_its_tip():
    voxels = Voxels.around(lifted(), 0.1)
    assert voxels.fixed_axes == (False, False, True)
    assert voxels.shape == (18, 18, 1)
    assert voxels.centres(np.array([0]))[0, 2] == pytest.approx(0.4)
    assert voxels.dimension == 2
    assert voxels.cell == pytest.approx(0.01)
    assert not any(Voxels.around(robots.scara()).fixed_axes)


def test_without_an_edge_it_is_a_round_number_for_a_grid_of_moderate_size():
    assert Voxels.around(robots.chain('panda')).edge == pytest.approx(0.05)
    assert Voxels.around(robots.planar(15, 10, 5)).edge == pytest.approx(0.5)
    for name in ('ur5', 'so101'):
        assert 15_000 < Voxels.around(robots.chain(name)).size < 300_000


@pytest.mark.parametrize(('edge', 'words'), [
    (0.0, 'above 0'), (-1.0, 'above 0'), (float('nan'), 'finite'), ('wide', 'numbers'),
    ([0.1, 0.2], 'single number'), (1e-3, f'at most {MOST_VOXELS} are allowed; use a larger edge')])
def test_what_makes_no_grid_is_refused(edge, words):
    with pytest.raises(IkError, match=words):
        Voxels.around(robots.scara(), edge)


def test_a_sliding_joint_without_limits_has_no_workspace():
    with pytest.raises(IkError, match="'quill' is prismatic without limits"):
        Voxels.around(robots.scara().without_limits(), 0.1)


def test_the_surface_is_what_other_voxels_do_not_cover():
    voxels = Voxels(np.zeros(3), 0.1, (5, 5, 5), (False, False, False))
    numbers = np.arange(125)
    on_surface = voxels.surface(numbers)
    places = np.stack(np.unravel_index(numbers, voxels.shape), axis=-1)
    assert (on_surface == ((places == 0) | (places == 4)).any(axis=1)).all()
    hollow = numbers[numbers != 62]  # without the one in the middle its six neighbours show a face
    assert voxels.surface(hollow).sum() == on_surface.sum() + 6
    layer = Voxels(np.zeros(3), 0.1, (5, 5, 1), (False, False, True))
    assert layer.surface(np.arange(25)).all()
