"""Commands and programs of the README and the docs: their options, names and messages exist."""

import argparse
import ast
import importlib
import re
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.optimize
import yaml

import ik_node
from docs_blocks import BLOCKS, ROOT, fill, lines
from ik_node import body_solver_names, make_solver, solver_names
from ik_node.commands import entry_points as commands
from ik_node.control.options import (
    ArmOptions,
    CollisionOptions,
    ModelOptions,
    NodeOptions,
    ScaleOptions,
    ServoOptions,
    StartOptions,
    TeleopOptions,
)
from ik_node.control.task_options import TaskOptions
from ik_node.model.readers import read_model
from ik_node.solvers.registry import body_solver_class, solver_class

NOT_OURS = {'adb', 'bloom-release', 'cd', 'colcon', 'docker', 'export', 'git', 'pip',
            'rattler-build', 'rosdep', 'source', 'twine', 'xacro', 'nlopt'}
NOT_OURS_OF_ROS = {'lifecycle', 'node', 'topic echo', 'topic info'}
PARAMETERS = {name for options in (ModelOptions, ArmOptions, NodeOptions, StartOptions,
                                   ServoOptions, TeleopOptions) for name in options.specs()} | {
    f'scale.{name}' for name in ScaleOptions.specs()} | {
    f'{name}.{option}' for names, kind in (
        (solver_names(), solver_class), (body_solver_names(), body_solver_class)) for name in names
    for options in (kind(name).Options, CollisionOptions) for option in options.specs()}
COMMANDS = [(page, words) for page, language, text in BLOCKS if language == 'sh'
            for words in lines(text)]


class _ParsedError(Exception):
    """The arguments of a command are valid; nothing of it is run."""


def parse(module, arguments, monkeypatch):
    """Let a command parse arguments, and stop it then."""
    parse_known_args = argparse.ArgumentParser.parse_known_args

    def stop(self, args=None, namespace=None):
        rest = parse_known_args(self, args, namespace)[1]
        assert not rest or rest[0] == '--ros-args', f'unknown: {rest}'
        raise _ParsedError
    monkeypatch.setattr(argparse.ArgumentParser, 'parse_known_args', stop)
    monkeypatch.setattr(sys, 'argv', ['command', *arguments])
    with pytest.raises(_ParsedError):
        importlib.import_module(module).main()


def check_parameters(arguments):
    """Check that the parameters in -p name:=value are the node's."""
    for name in re.findall(r'(\S+?):=', ' '.join(arguments)):
        if not name.startswith('__'):
            check_parameter(name)


def check_parameter(name):
    """Check that the node has a parameter, of itself, an arm, a task or a solver."""
    last, inner = name.rpartition('.')[2], name.partition('.')[2]
    assert {name, last, inner} & PARAMETERS or last in TaskOptions.specs(), name


def check_message(kind, text):
    """Check that a type exists, and has the fields of a value in YAML."""
    package, *_, name = kind.split('/')
    pytest.importorskip('rclpy', reason='ROS 2 is not installed (make test brings it from PyPI)')
    is_service = kind.split('/')[1] == 'srv'
    module = pytest.importorskip(f'{package}.{"srv" if is_service else "msg"}')
    made = getattr(module, name)
    fill((made.Request if is_service else made)(), yaml.safe_load(text or '{}'))


def check_ros(words, monkeypatch):
    verb = ' '.join(words[:2])
    if words == ['run', 'joy', 'joy_node']:
        return
    if words[0] == 'run':
        assert words[1] == 'ik_node', words
        check(words[2:], monkeypatch)
    elif words[0] == 'launch':
        code = (ROOT / 'launch' / words[2]).read_text()
        shared = ''.join(file.read_text() for file in (ROOT / 'launch').glob('*.py'))
        for name in re.findall(r'(\w+):=', ' '.join(words[3:])):
            assert f"'{name}'" in code + shared, words
    elif words[0] == 'param':
        for name in words[3:4] if words[2].endswith('/ik_node') else ():
            check_parameter(name)
        assert words[1] in ('describe', 'get', 'list') or yaml.safe_load(words[4]) is not None
    elif verb == 'topic pub':
        kind, *text = [word for word in words[2:] if not word.startswith('-')][1:]
        check_message(kind, text[0] if text else '')
    elif verb == 'service call':
        check_message(words[3], words[4] if len(words) > 4 else '')
    else:
        assert {words[0], verb} & NOT_OURS_OF_ROS, words


def check_make(words):
    code = (ROOT / 'Makefile').read_text()
    for word in words:
        name, is_variable, _ = word.partition('=')
        assert re.search(rf'\b{name}\b' if is_variable else rf'^{name}:', code, re.MULTILINE), word


def check(words, monkeypatch):
    words = words[next(k for k, word in enumerate(words) if not re.match(r'[A-Z_]+=', word)):]
    name, arguments = words[0].removeprefix('.venv/bin/'), words[1:]
    if name == 'ros2':
        check_ros(arguments, monkeypatch)
    elif name == 'make':
        check_make(arguments)
    elif name in ('python', 'python3') and arguments[0] == '-m':
        if arguments[1].partition('.')[0] in ('ik_node', 'benchmark'):
            folder = ROOT / arguments[1].replace('.', '/')
            file = folder / '__main__.py' if folder.is_dir() else folder.with_suffix('.py')
            assert file.is_file(), words
            if arguments[1].startswith('ik_node'):
                parse(f'{arguments[1]}.__main__' if folder.is_dir() else arguments[1],
                      arguments[2:], monkeypatch)
    elif name in ('python', 'python3'):
        code = (ROOT / arguments[0]).read_text()
        for option in (word for word in arguments[1:] if word.startswith('--')):
            assert f"'{option}'" in code, words
    elif name in ('ik_node', 'demo_goals', 'ik_teleop'):
        check_parameters(arguments)
    elif hasattr(commands, name):
        module = next(cell.cell_contents for cell in getattr(commands, name).__closure__)
        parse(module, arguments, monkeypatch)
    else:
        assert name in NOT_OURS, words


@pytest.mark.parametrize('page', sorted({page for page, _ in COMMANDS}))
def test_the_commands_of_a_page_exist_with_their_options(page, monkeypatch):
    for where, words in COMMANDS:
        if where == page:
            for file in re.findall(r'(?<![\w/])(?:examples|urdf|config)/[\w./]+', ' '.join(words)):
                assert (ROOT / file).exists(), file
            with monkeypatch.context() as patched:
                check(words, patched)


def test_programs_import_what_there_is():
    for page, language, text in BLOCKS:
        if language == 'python':
            for node in ast.walk(ast.parse(text, page)):
                if isinstance(node, ast.ImportFrom) and node.module.split('.')[0] == 'ik_node':
                    module = importlib.import_module(node.module)
                    missing = [one.name for one in node.names if not hasattr(module, one.name)]
                    assert not missing, (page, node.module, missing)


PROGRAMS = [(page, text) for page, language, text in BLOCKS if language == 'python'
            and page != 'docs/kernels.md' and not text.startswith(('Node(', 'Reader('))]
# Of programs for another arm than one of seven joints: a part of them, and the arm.
ARMS = {'6R': 'arm_6r', 'solve_path': 'arm_6r', 'linear_constraints': 'planar_3r',
        'poses/panda': 'panda', 'tool0': 'arm_6r'}
MOTIONS = {'walker.asf': 'walker.asf', 'figure.asf': 'walker.asf', 'walk.amc': 'walk.amc',
           'walker_to_humanoid.yaml': 'walker_to_humanoid.yaml'}


@pytest.mark.parametrize('page', sorted({page for page, _ in PROGRAMS}))
def test_the_programs_of_a_page_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for program in (text for where, text in PROGRAMS if where == page):
        arm = next((arm for part, arm in ARMS.items() if part in program), 'arm_7r')
        exec(compile(program, page, 'exec'), variables(arm, Path(page).stem, tmp_path))


def variables(arm, solver, folder):
    """Return what a program takes for granted; write the files that it names."""
    file = ROOT / (f'urdf/{arm}.urdf' if arm != 'panda' else 'config/dh/panda.yaml')
    tree = read_model(file)
    chain = tree.chain()
    q = np.array([0.3, 0.5, -0.2, -1.2, 0.4, 0.8, 0.1])[:chain.n_joints]
    for name, source in {'arm.urdf': file, 'humanoid.urdf': ROOT / 'urdf/humanoid.urdf', **{
            name: ROOT / 'config/motions' / motion for name, motion in MOTIONS.items()}}.items():
        shutil.copy(source, folder / name)
    if not (folder / 'config').exists():
        (folder / 'config').symlink_to(ROOT / 'config')
    np.savetxt(folder / 'walk.csv', np.linspace(0.8, 1.1, 8)[:, None] * q, delimiter=',',
               header=','.join(chain.joint_names), comments='')
    solver = make_solver(solver if solver in ('analytic', 'genetic') else 'dls', chain)
    return {**vars(ik_node), 'np': np, 'scipy': scipy, 'tree': tree, 'chain': chain, 'q': q,
            'q0': 0.9 * q, 'q1': q, 'goal': chain.forward(q), 'pose': chain.forward(q),
            'T_base_goal': chain.forward(0.92 * q), 'T_arm_hand': np.eye(4), 'solver': solver,
            'poses': np.array([chain.forward(0.9 * q), chain.forward(q)])}


def test_parameters_in_yaml_are_the_nodes():
    for page, language, text in BLOCKS:
        values = yaml.safe_load(text) if language == 'yaml' else None
        if isinstance(values, dict) and 'ros__parameters' in values.get('ik_node', {}):
            values = values['ik_node']['ros__parameters']
            named = {*values.get('tasks', ()), *values.get('arms', ())}
            for name, value in values.items():
                if name not in named and not isinstance(value, dict):
                    assert name.split('.')[0] in named or name in PARAMETERS or '.' in name, (
                        page, name)
