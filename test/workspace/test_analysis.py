from dataclasses import replace

import numpy as np
import pytest

import robots
from ik_node import Goal, IkError, KinematicTree, make_solver
from ik_node.workspace import reachability_map
from ik_node.workspace.analysis import FIGURES, analyse_workspace
from ik_node.workspace.picture import draw_workspace
from ik_node.workspace.sampling import configurations


@pytest.fixture(scope='module')
def planar():
    return analyse_workspace(robots.planar(15, 10, 5), 2.0, dexterity=6)


@pytest.fixture(scope='module')
def panda():
    return analyse_workspace(robots.chain('panda'), 0.15)


def test_progress_goes_from_nothing_to_all_and_says_what_is_done():
    reported = []
    analyse_workspace(robots.planar(1, 1, 1), 0.5, dexterity=4,
                      progress=lambda *what: reported.append(what))
    done = [part for part, _ in reported]
    assert done == sorted(done)
    assert 0.0 <= done[0] < 0.5
    assert done[-1] == 1.0
    assert list(dict.fromkeys(what for _, what in reported)) == [
        'sampling configurations', 'solving from neighbours', 'done']


def test_the_same_seed_gives_the_same_workspace():
    first, again, other = (analyse_workspace(robots.scara(), 0.2, dexterity=4, seed=seed)
                           for seed in (1, 1, 2))
    for figure in FIGURES:
        assert np.array_equal(first.grid(figure), again.grid(figure), equal_nan=True)
    assert len(first.numbers) != len(other.numbers) or (
        first.manipulability != other.manipulability).any()


@pytest.mark.parametrize('name', ['ur5', 'so101', 'pr2'])
def test_reachable_centres_are_those_that_inverse_kinematics_reaches(name):
    chain = robots.chain(name)
    workspace, solver = analyse_workspace(chain), make_solver('auto', chain, max_restarts=10)
    at = np.zeros(workspace.voxels.size, bool)
    at[workspace.numbers] = workspace.centre_reachable
    rng, agree = np.random.default_rng(0), []
    for number in rng.choice(len(at), robots.samples(500)):
        goal = Goal(workspace.voxels.centres(np.array([number]))[0])
        agree.append(solver.solve(goal).success == at[number])
    assert np.mean(agree) > 0.98


def test_dexterity_is_that_of_a_map_where_there_is_one():
    chain = robots.chain('arm_6r')
    map = reachability_map(chain, 0.2, 10, 10)
    workspace = analyse_workspace(chain, 0.2, dexterity=8, map=map)
    assert 0.0 < workspace.dexterity.max() <= 1.0
    with pytest.raises(IkError, match='of another robot'):
        analyse_workspace(robots.chain('ur5'), dexterity=8, map=map)


def test_a_panda_reaches_what_its_data_sheet_says(panda):
    # 0.855 m to the wrist centre, and the hand's tip is 0.2104 m from the last axis of the wrist;
    # the last link's 0.088 m may stretch the way.
    assert 0.855 < panda.reach[1] < 0.333 + 0.384 + 0.2104 + 0.088
    assert panda.reach_centre == pytest.approx([0.0, 0.0, 0.333])
    assert panda.unit == 'm³'
    assert 0.75 < panda.volume / (4.0 / 3.0 * np.pi * panda.reach[1] ** 3) < 1.0
    farthest = np.linalg.norm(panda.centres - panda.reach_centre, axis=1)[panda.centre_reachable]
    assert farthest.max() <= panda.reach[1]
    # It turns all the way round but for 2 × 14°: left and right are alike.
    left = panda.grid('reachable')
    assert np.isfinite(left).sum() == pytest.approx(np.isfinite(left[:, ::-1]).sum(), rel=0.01)


def test_figures_come_as_lists_and_as_grids(planar):
    for figure in FIGURES:
        grid = planar.grid(figure)
        assert grid.shape == planar.voxels.shape
        assert grid.ravel()[planar.numbers] == pytest.approx(planar.values(figure))
        assert np.isfinite(grid).sum() == len(planar.numbers)
    assert set(planar.values('reachable')) == {0.5, 1.0}
    assert planar.volume == pytest.approx(np.pi * 30 ** 2, rel=0.03)


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
    assert (np.abs(r - 0.5) <= 0.07).all()
    # The sphere crosses about 1.5 cubes for each square of its surface.
    assert 1.3 < len(workspace.numbers) * 0.07 ** 2 / np.pi < 1.7
    assert workspace.volume == pytest.approx(0.0, abs=0.02)


def test_configurations_fill_the_limits_and_one_turn_of_a_joint_without():
    for chain in (robots.scara(), robots.planar(1, 1), robots.chain('ur5')):
        spread = configurations(chain, 1024, 1)
        assert robots.inside(chain, spread)
        wide = np.minimum(chain.upper - chain.lower, 2.0 * np.pi)
        assert np.ptp(spread, axis=0) == pytest.approx(wide, rel=0.01)


@pytest.mark.parametrize(('options', 'words'), [
    ({'dexterity': -1}, 'at least 0'), ({'dexterity': True}, 'at least 0'),
    ({'progress': 3}, 'must be a function'), ({'edge': -0.1}, 'above 0')])
def test_what_makes_no_sense_is_refused(options, words):
    with pytest.raises(IkError, match=words):
        analyse_workspace(robots.planar(1, 1), **options)


def test_a_figure_that_is_unknown_or_was_not_computed_is_refused(panda):
    with pytest.raises(IkError, match="did you mean 'manipulability'"):
        panda.values('manipulabilty')
    with pytest.raises(IkError, match='number of orientations'):
        panda.values('dexterity')


def test_its_description_says_reach_volume_task_and_dexterity(planar):
    text = planar.describe()
    assert 'reach 0.000 to 30.000 m from (0, 0, 0)' in text
    assert f'{planar.volume:.4g} m²' in text
    assert planar.task.describe() in text
    assert 'with 6 orientations' in text


@pytest.mark.parametrize(('arm', 'figure'), robots.rest_slow([
    *(('planar', figure) for figure in FIGURES), ('panda', 'reachable'),
    ('panda', 'conditioning')], ('planar', 'reachable'), ('panda', 'conditioning')))
def test_a_picture_has_many_colours_and_is_large_enough_to_read(arm, figure, tmp_path, request):
    image = pytest.importorskip('matplotlib.image')
    draw_workspace(request.getfixturevalue(arm), figure, tmp_path / 'arm.png')
    picture = image.imread(tmp_path / 'arm.png')[::4, ::4, :3]
    assert min(picture.shape[:2]) > 200
    assert len(np.unique(picture @ [1.0, 10.0, 100.0])) > 30


def test_a_picture_of_a_map_has_sections_by_height(panda, tmp_path):
    image = pytest.importorskip('matplotlib.image')
    for heights in (0, 6):
        draw_workspace(panda, 'reachable', tmp_path / f'{heights}.png', heights)
    three, six = (image.imread(tmp_path / f'{heights}.png').shape for heights in (0, 6))
    assert three[1] == six[1]
    assert six[0] > 1.5 * three[0]


def test_a_workspace_without_a_reachable_voxel_can_be_summed_up_and_drawn(tmp_path, panda):
    pytest.importorskip('matplotlib')
    empty = replace(panda, dexterity=None, **{name: getattr(panda, name)[:0] for name in (
        'numbers', 'centre_reachable', 'manipulability', 'conditioning')})
    assert empty.volume == 0.0
    assert empty.describe()
    draw_workspace(empty, 'manipulability', tmp_path / 'empty.png')
