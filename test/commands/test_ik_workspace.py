import sys

import pytest

from ik_node.commands import ik_workspace


def run(capsys, *arguments):
    """Run the command; return (exit code, what it printed, what it said on stderr)."""
    code = ik_workspace.main([str(argument) for argument in arguments])
    return code, *capsys.readouterr()


def test_it_prints_reach_volume_and_task_rank_of_a_robot_of_the_package(capsys):
    code, out, _ = run(capsys, 'planar_3r', '--edge', '2')
    assert code == 0
    assert 'Robot planar_3r: 3 joints from base_link to tip' in out
    assert 'reach 0.000 to 30.000 m from (0, 0, 0)' in out
    assert 'm²' in out
    assert 'serves 3 of 6 task axes: x, y, rz' in out
    assert 'dexterous' not in out


def test_base_and_tip_choose_the_chain(capsys):
    _, out, _ = run(capsys, 'arm_6r', '--base', 'link_1', '--tip', 'link_3', '--edge', '0.1')
    assert 'Robot arm_6r: 2 joints from link_1 to link_3' in out


def test_dexterity_is_asked_for_and_printed(capsys):
    code, out, _ = run(capsys, 'planar_3r', '--edge', '4', '--dexterity', '6')
    assert code == 0
    assert 'with 6 orientations' in out


def test_it_saves_a_picture(capsys, tmp_path):
    pytest.importorskip('matplotlib')
    file = tmp_path / 'arm.png'
    code, out, _ = run(capsys, 'planar_3r', '--edge', '3', '--show', 'manipulability', '--png',
                       file)
    assert code == 0
    assert str(file) in out
    assert file.read_bytes().startswith(b'\x89PNG')


@pytest.mark.parametrize(('arguments', 'words'), [
    (['torso'], 'name the tip link'),
    (['arm_6r', '--tip', 'nowhere'], "no tip link 'nowhere'"),
    (['arm_6r', '--edge', '0.0001'], 'use a larger edge'),
    (['arm_6r', '--edge', '0'], 'above 0'),
    (['arm_6r', '--dexterity', '-1'], 'at least 0')])
def test_what_cannot_be_done_ends_with_one_line_and_code_2(capsys, arguments, words):
    code, _, err = run(capsys, *arguments)
    assert code == 2
    assert words in err
    assert err.startswith('ik_workspace: ')
    assert err.count('\n') == 1


@pytest.mark.parametrize(('arguments', 'words'), [
    (['--show', 'dexterity'], '--dexterity N'),
    (['--resolution', '0.1'], '--resolution needs --map FILE'),
    (['--goals', 'welds.csv'], '--goals needs --map FILE'),
    (['--output', 'a.png', '--output', 'b.png'], 'one picture'),
    (['--output', 'scores.csv'], '--output, but for .png, needs --map FILE')])
def test_options_that_need_others_are_refused_without_them(capsys, arguments, words):
    with pytest.raises(SystemExit) as end:
        ik_workspace.main(['arm_6r', *arguments])
    assert end.value.code == 2
    assert words in capsys.readouterr().err


def test_what_is_missing_is_said_before_the_work_begins(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, 'matplotlib.figure', None)
    code, out, err = run(capsys, 'planar_3r', '--png', 'arm.png')
    assert code == 2
    assert 'pip install matplotlib' in err
    assert out == ''


def test_ctrl_c_ends_it_without_a_traceback(capsys, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt
    monkeypatch.setattr(ik_workspace, 'analyse_workspace', interrupted)
    code, _, err = run(capsys, 'planar_3r')
    assert code == 130
    assert err == 'Stopped.\n'
