import csv

import numpy as np
import pytest
import yaml

import robots
from ik_node.commands import ik_workspace
from ik_node.workspace import ReachabilityMap, reachability_map

COARSE = ('--resolution', '0.2', '--directions', '8', '--turns', '8')
WELDS = 'x,y,z,nx,ny,nz\n0.6,0.1,0.2,0,0,1\n0.5,-0.1,0.2,0,0,1\n9,0,0.2,0,0,1\n'


@pytest.fixture
def run(capsys, tmp_path, monkeypatch):
    """Run the command in an empty folder; return (exit code, what it printed and said)."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / 'welds.csv').write_text(WELDS)

    def run(*arguments):
        code = ik_workspace.main([str(argument) for argument in arguments])
        return code, *capsys.readouterr()
    return run


def test_a_map_is_made_once_and_says_its_structure_size_and_cost(run, tmp_path):
    code, out, _ = run('arm_6r', '--map', 'a.reach.npz', *COARSE)
    assert code == 0
    assert 'directions' in out
    assert 'MB, made in' in out
    chain = robots.chain('arm_6r')
    assert ReachabilityMap.load(tmp_path / 'a.reach.npz', chain).info['resolution'] == 0.2
    before = (tmp_path / 'a.reach.npz').stat().st_mtime_ns
    code, out, _ = run('arm_6r', '--map', 'a.reach.npz', *COARSE)
    assert 'MB, read' in out
    assert (tmp_path / 'a.reach.npz').stat().st_mtime_ns == before


def test_goals_have_scores_and_the_base_is_placed_where_most_are_met(run, tmp_path):
    code, out, _ = run('arm_6r', '--map', 'a.reach.npz', *COARSE, '--goals', 'welds.csv',
                       '--place', -0.4, 0.4, -0.4, 0.4, '--step', 0.2, '--yaw-step', 45, '--limit',
                       3, '--output', 'a.csv', '--output', 'a.yaml')
    assert code == 0
    assert 'confirmed by solves' in out
    assert '2 of 3 goals are reached from the first base pose' in out
    with open(tmp_path / 'a.csv', newline='') as file:
        scores = [float(row['score']) for row in csv.DictReader(file)]
    written = yaml.safe_load((tmp_path / 'a.yaml').read_text())
    assert [score > 0.0 for score in scores] == [True, True, False]
    assert f'scores {min(scores):.3f} to {max(scores):.3f}' in out
    assert [goal['score'] for goal in written['goals']] == pytest.approx(scores, abs=1e-5)
    assert written['base_poses'][0]['met'] == [0, 1]


def test_a_map_is_made_in_chunks_and_a_scheduler_that_is_not_there_is_said(run, tmp_path):
    assert run('arm_6r', '--map', 'a.reach.npz', *COARSE, '--chunks', 'parts')[0] == 0
    assert list((tmp_path / 'parts').glob('block-*.npz'))
    pytest.importorskip('distributed')
    code, _, err = run('arm_6r', '--map', 'b.reach.npz', *COARSE, '--scheduler', 'nowhere')
    assert code == 2
    assert "cannot reach the Dask scheduler 'nowhere'" in err
    assert not (tmp_path / 'b.reach.npz').exists()


def test_the_base_pose_moves_the_arm_in_the_world(run):
    m = reachability_map(robots.chain('arm_6r'), 0.2, 8, 8)
    m.save('a.reach.npz')
    _, out, _ = run('arm_6r', '--map', 'a.reach.npz', '--goals', 'welds.csv', '--base-pose', 8.6, 0,
                    0, 180)
    assert '1 of 3 goals are reached from the base pose' in out


@pytest.mark.parametrize('goals', [(), ('--goals', 'welds.csv')])
def test_a_picture_shows_the_map_or_the_goals(run, tmp_path, goals):
    image = pytest.importorskip('matplotlib.image')
    assert run('arm_6r', '--map', 'a.reach.npz', *COARSE, *goals, '--png', 'a.png')[0] == 0
    picture = image.imread(tmp_path / 'a.png')[::4, ::4, :3]
    assert min(picture.shape[:2]) > 100
    assert len(np.unique(picture @ [1.0, 10.0, 100.0])) > 30


@pytest.mark.parametrize(('arguments', 'words'), [
    (('scara', '--map', 'a.reach.npz'), 'of another robot'),
    (('arm_6r', '--map', 'a.reach.npz', '--resolution', '0.1'), 'was made with resolution 0.3'),
    (('arm_6r', '--map', 'bad.npz'), 'is damaged'),
    (('arm_6r', '--map', 'a.reach.npz', '--goals', 'nan.csv'), 'goal 1 has a number'),
    (('arm_6r', '--map', 'a.reach.npz', '--place', '0', '1', '0', '1'), 'need --goals'),
    (('arm_6r', '--map', 'a.reach.npz', '--goals', 'welds.csv', '--place', '0'), 'region must be'),
    (('arm_6r', '--map', 'a.reach.npz', '--goals', 'welds.csv', '--output', 'a.txt'), '.csv or')])
def test_what_cannot_be_done_ends_with_one_line(run, tmp_path, arguments, words):
    reachability_map(robots.chain('arm_6r'), 0.3, 4, 4).save(tmp_path / 'a.reach.npz')
    (tmp_path / 'bad.npz').write_bytes(b'PK\x03\x04')
    (tmp_path / 'nan.csv').write_text('x,y,z,nx,ny,nz\nnan,0,0,0,0,1\n')
    code, _, err = run(*arguments)
    assert code == 2
    assert words in err
    assert err.startswith('ik_workspace: ')
    assert err.count('\n') == 1


def test_a_full_disk_is_said(run, monkeypatch, tmp_path):
    def full(*_, **__):
        raise OSError(28, 'No space left on device')
    monkeypatch.setattr(np, 'savez_compressed', full)
    code, _, err = run('arm_6r', '--map', 'a.reach.npz', *COARSE)
    assert code == 2
    assert 'No space left' in err
    assert [file.name for file in tmp_path.iterdir()] == ['welds.csv']
