"""What all commands print: errors in one line that names the file once, and narrow tables."""

import importlib
import re

import pytest

import robots
from walking import MAP, SKELETON, WALK

MODULES = {'ik_play': 'ik_node.ros.clients.playback', 'ik_view': 'ik_node.viewer.__main__'}
MODELS = ['ik_inspect {}', 'ik_compare {}', 'ik_workspace {}', 'ik_play {} m.csv', 'ik_view {}',
          f'ik_retarget {{}} {WALK} humanoid {MAP} --output o.csv',
          f'ik_retarget {SKELETON} {WALK} {{}} {MAP} --output o.csv']
READ = ['ik_inspect arm_7r --srdf {}', f'ik_play {SKELETON} {{}}',
        f'ik_retarget {SKELETON} {{}} humanoid {MAP} --output o.csv',
        f'ik_retarget {SKELETON} {WALK} humanoid {{}} --output o.csv',
        'ik_workspace arm_7r --map m.reach.npz --goals {}',
        'ik_workspace arm_7r --map m.reach.npz --obstacles {}']
WRITTEN = ['ik_compare arm_7r --output {}/page.md', 'ik_compare arm_7r --output {}/chart.png',
           'ik_figures --output /dev/null/{}', 'ik_figures --output figures --output {}/page.md',
           'ik_workspace arm_7r --output {}/arm.png', 'ik_workspace arm_7r --map {}/m.reach.npz',
           f'ik_retarget {SKELETON} {WALK} humanoid {MAP} --output {{}}/walk.csv']
WIDE = {'ik_inspect': ('--collisions', '--convention', 'both'),
        'ik_compare': ('--goals', '1', '--repeats', '1'), 'ik_workspace': ('--edge', '0.5')}
ARMS = {'arm_7r': (), 'planar_3r': (), 'humanoid': ('--tip', 'left_palm'),
        'torso': ('--tip', 'left_tool0'), 'pr2': ('--tip', 'r_gripper_tool_frame')}


def run(command, capfd):
    """Run a command in this process; return its status, and what it prints and reports."""
    name, *arguments = command.split()
    if name in MODULES:
        pytest.importorskip('rclpy', reason='ROS 2 is not installed')
    module = importlib.import_module(MODULES.get(name, f'ik_node.commands.{name}'))
    try:
        code = module.main(arguments)
    except SystemExit as error:
        code = error.code
    return code, *capfd.readouterr()


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Let commands run in a folder with files that none of them can use."""
    monkeypatch.chdir(tmp_path)
    for extension in ('urdf', 'yaml', 'csv', 'amc', 'srdf'):
        (tmp_path / f'folder.{extension}').mkdir()
        (tmp_path / f'bytes.{extension}').write_bytes(b'\0\xff\xfe')
        (tmp_path / f'empty.{extension}').touch()


@pytest.mark.parametrize('command', [*MODELS, *READ, *WRITTEN])
def test_a_file_that_cannot_be_used_is_named_in_one_line(command, capfd):
    bad = ['missing'] if command in WRITTEN else [
        f'{kind}.{extension}' for kind in ('missing', 'folder', 'bytes', 'empty')
        for extension in (('urdf', 'yaml') if command in MODELS else
                          ('yaml', 'csv', 'amc', 'srdf'))]
    for file in bad:
        code, printed, error = run(command.format(file), capfd)
        assert code == 2, (file, printed, error)
        line = error.splitlines()[-1]
        assert line.startswith(f'{command.split()[0]}: '), error
        assert error.count('\n') == 1, error
        assert line.count(file) == 1, line
        assert not re.search(r'Errno|Error\b|Traceback|PosixPath|<class|object at', line), line


@pytest.mark.parametrize('command', [
    'ik_compare --seed -1', 'ik_compare --goals 1.5', 'ik_figures --frames 0',
    'ik_figures --goal nan 1', 'ik_workspace arm_7r --edge nan',
    'ik_workspace arm_7r --seed -1 --map m',
    'ik_workspace arm_7r --resolution -1 --map m', 'ik_workspace arm_7r --scheduler x --map m',
    'ik_play arm_7r m.csv --rate nan', 'ik_view --port -1', 'ik_view --host 300.1.1.1',
    'ik_view --node 9x', 'ik_view --namespace 9x',
    f'ik_retarget {SKELETON} {WALK} humanoid {MAP} --output o.csv --fps nan',
    'ik_inspect arm_7r --xacro-arg x', 'ik_inspect arm_7r --base nobody'])
def test_a_value_that_is_not_allowed_is_refused_in_words(command, capfd):
    code, _, error = run(command, capfd)
    assert code == 2
    assert not re.search(r'Errno|[a-z]Error\b|Traceback|PosixPath|<class|object at', error), error
    assert error.splitlines()[-1].startswith(command.split()[0])


@pytest.mark.parametrize('robot', robots.rest_slow(ARMS, 'torso', 'pr2'))
@pytest.mark.parametrize('name', WIDE)
def test_no_line_is_wider_than_100_characters(name, robot, capfd):
    tip = ARMS[robot] if name != 'ik_inspect' else ()
    file = robots.path(robot) if robot in robots.REAL else robot
    code, printed, error = run(' '.join([name, str(file), *WIDE[name], *tip]), capfd)
    assert (code, error) == (0, '')
    assert max(map(len, printed.splitlines())) <= 100


def test_nor_is_the_table_of_figures(capfd):
    pytest.importorskip('matplotlib')
    code, printed, _ = run('ik_figures --figure 5.22 --output figures', capfd)
    assert code == 0
    assert max(map(len, printed.splitlines()[:-1])) <= 100
