import numpy as np
import pytest

import robots
from ik_node import IkError
from ik_node.workspace.analysis import FIGURES, analyse_workspace
from ik_node.workspace.picture import draw_workspace


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
        'sampling configurations', 'solving for centres', 'testing orientations']


def test_the_same_seed_gives_the_same_workspace():
    first, again, other = (
        analyse_workspace(robots.scara(), 0.2, dexterity=4, samples=2000, seed=seed)
        for seed in (1, 1, 2))
    for figure in FIGURES:
        assert np.array_equal(first.grid(figure), again.grid(figure), equal_nan=True)
    assert (first.configurations == again.configurations).all()
    assert len(first.samples) != len(other.samples) or (first.samples != other.samples).any()


def test_the_number_of_samples_is_that_of_the_option():
    workspace = analyse_workspace(robots.planar(1, 1), 0.1, samples=10_001)
    assert workspace.samples.sum() == 10_001


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


@pytest.mark.parametrize(('options', 'words'), [
    ({'dexterity': -1}, 'at least 0'), ({'dexterity': True}, 'at least 0'),
    ({'samples': 0}, 'at least 1'), ({'samples': 2.5}, 'at least 1'), ({'edge': -0.1}, 'above 0')])
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


def test_a_workspace_without_a_reachable_voxel_can_be_summed_up_and_drawn(tmp_path):
    pytest.importorskip('matplotlib')
    empty = analyse_workspace(robots.chain('ur5'), 0.2, samples=100, bounds=[[5, 5, 5], [6, 6, 6]])
    assert empty.volume == 0.0
    assert empty.describe()
    draw_workspace(empty, 'manipulability', tmp_path / 'empty.png')
