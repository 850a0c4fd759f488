import re

import pytest

from ik_node.commands.ik_retarget import main
from ik_node.mocap.recording_files import read_recording
from walking import MAP, SKELETON, WALK, humanoid


@pytest.fixture(scope='module')
def short(tmp_path_factory):
    """Return a file with the first frames of the walk."""
    file = tmp_path_factory.mktemp('motion') / 'short.amc'
    head, *frames = re.split(r'(?m)^(?=\d+$)', WALK.read_text())
    file.write_text(head + ''.join(frames[:8]))
    return file


@pytest.mark.parametrize('extension', ['yaml', 'csv'])
def test_it_writes_a_motion_that_plays(short, extension, tmp_path, capsys):
    output = tmp_path / f'walk.{extension}'
    assert main([str(SKELETON), str(short), 'humanoid', str(MAP), '--output', str(output),
                 '--fps', '60']) == 0
    printed = capsys.readouterr()
    assert printed.err == ''
    first, held, report, times = printed.out.splitlines()
    assert first == f'{output}: 8 frames, 0.12 s'
    assert held == 'held: left_foot 1 times, right_foot 1 times'
    assert report == 'all tasks are met in all frames'
    assert times.startswith('time per frame: median ')
    found = read_recording(output, humanoid())
    assert found.n_frames == 8
    assert found.duration == pytest.approx(7 / 60, abs=1e-6)
    assert 'root_tz' in found.joint_names
    assert found.outside_limits() == ''


def test_wrong_files_end_it_with_one_line_and_status_2(short, tmp_path, capsys):
    (tmp_path / 'map.yaml').write_text('tasks: {hand: {bone: lhand}}\n')
    (tmp_path / 'bad.asf').write_text(':version 1.10\n:units\n')
    output = str(tmp_path / 'walk.yaml')
    for arguments, text in (
            ((SKELETON, short, 'humanoid', tmp_path / 'map.yaml'), 'tasks.hand must have a link'),
            ((tmp_path / 'bad.asf', short, 'humanoid', MAP), 'bad.asf'),
            (('panda', short, 'humanoid', MAP), 'skeleton')):
        assert main([*map(str, arguments), '--output', output]) == 2
        printed = capsys.readouterr()
        assert printed.out == ''
        assert printed.err.startswith('ik_retarget: ')
        assert printed.err.count('\n') == 1
        assert text in printed.err


def test_another_extension_ends_it_before_anything_is_read(capsys):
    with pytest.raises(SystemExit) as raised:
        main(['a', 'b', 'c', 'd', '--output', 'walk.bag'])
    assert raised.value.code == 2
    assert "must end in one of .yaml, .yml, .csv, .amc, not 'walk.bag'" in capsys.readouterr().err
