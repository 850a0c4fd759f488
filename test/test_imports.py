"""Imports point one way, and only ros/ needs ROS."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / 'ik_node'

# A layer may import from those before it. Single modules at the top are named by their file.
LAYERS = [['exceptions', '_jit', '_arrays', 'bounds', 'options', 'resources'], ['spatial'],
          ['kinematics'], ['model'], ['solvers'], ['motion', 'workspace'],
          ['ros', 'tools', 'demo', 'viewer']]
# What stands on ros/ and may import rclpy through it.
NEEDS_ROS = {'ros', 'demo', 'viewer'}


def layer(module):
    """Return the number of the layer that a module of the package stands in."""
    part = module.split('.')[1] if '.' in module else '__init__'
    for number, names in enumerate(LAYERS):
        if part in names:
            return number
    return None


def imports(file):
    """Return the modules a file imports, deferred imports and those for types only left out."""
    tree = ast.parse(file.read_text())
    found = []
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module:
            found.append(node.module)
            found.extend(f'{node.module}.{alias.name}' for alias in node.names)
        elif isinstance(node, ast.Import):
            found.extend(alias.name for alias in node.names)
    return found


FILES = [file for file in PACKAGE.rglob('*.py') if file != PACKAGE / '__init__.py']


@pytest.mark.parametrize('file', FILES, ids=lambda file: str(file.relative_to(PACKAGE)))
def test_no_module_imports_from_a_layer_above_its_own(file):
    name = '.'.join(['ik_node', *file.relative_to(PACKAGE).with_suffix('').parts])
    own = layer(name)
    assert own is not None, f'{name} stands in no layer'
    for module in imports(file):
        if module.startswith('ik_node.') and layer(module) is not None:
            assert layer(module) <= own, f'{name} imports {module}'


def test_only_ros_imports_ros():
    for file in FILES:
        if file.relative_to(PACKAGE).parts[0] != 'ros':
            for module in imports(file):
                assert module.split('.')[0] not in ('rclpy', 'tf2_ros'), file


def test_only_one_module_imports_numba():
    for file in FILES:
        if file.name != '_jit.py':
            assert 'import numba' not in file.read_text(), file


def test_everything_but_what_needs_ros_imports_without_rclpy():
    modules = sorted('.'.join(['ik_node', *file.relative_to(PACKAGE).with_suffix('').parts])
                     for file in FILES
                     if file.relative_to(PACKAGE).parts[0] not in NEEDS_ROS
                     and file.stem != '__init__')
    code = ('import sys, importlib\n'
            'sys.modules["rclpy"] = None\n'
            f'for name in {modules!r}: importlib.import_module(name)\n')
    subprocess.run([sys.executable, '-c', code], check=True, timeout=120, cwd=PACKAGE.parent)
