import ast
import functools
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / 'ik_node'

# A layer may import from those before it.
LAYERS = [['support'], ['spatial'], ['kinematics'], ['model'], ['collision'], ['tasks'],
          ['solvers'], ['motion'], ['lerobot', 'mocap', 'plugins', 'workspace'], ['control'],
          ['ros'], ['commands', 'viewer']]
# Of ros/: a part may import from those before it.
ROS_LAYERS = [['conversions', 'trajectory_action'], ['topics'], ['log'], ['run'], ['parameters'],
              ['configuration'], ['execution'], ['publishing'], ['intake'], ['clients', 'services'],
              ['session'], ['node']]
# Of solvers/: likewise.
SOLVER_LAYERS = [['codes'], ['options'], ['kernel'], ['goal'], ['result'], ['solver_output'],
                 ['driver', 'path'], ['collision'], ['arm'], ['jacobian', 'ccd', 'body'],
                 ['optimization', 'genetic', 'example', 'analytic'], ['auto'], ['registry']]
# What stands on ros/ and may import rclpy through it.
NEEDS_ROS = {'ros', 'commands', 'viewer'}


def layer(module):
    """Return the number of the layer that a module of the package stands in."""
    part = module.split('.')[1] if '.' in module else '__init__'
    for number, names in enumerate(LAYERS):
        if part in names:
            return number
    return None


@functools.cache
def parsed(file):
    return ast.parse(file.read_text())


def imports(file):
    """Return the modules a file imports, deferred imports and those for types only left out."""
    found = []
    for node in parsed(file).body:
        if isinstance(node, ast.ImportFrom) and node.module:
            found.append(node.module)
            found.extend(f'{node.module}.{alias.name}' for alias in node.names)
        elif isinstance(node, ast.Import):
            found.extend(alias.name for alias in node.names)
    return found


def name_of(file):
    """Return the dotted name of a module of the package."""
    parts = file.relative_to(PACKAGE.parent).with_suffix('').parts
    return '.'.join(parts[:-1] if parts[-1] == '__init__' else parts)


@functools.cache
def all_imports(file):
    """Return the modules of the package that a file imports, deferred and for types only too."""
    found = set()
    for node in ast.walk(parsed(file)):
        if isinstance(node, ast.ImportFrom) and node.module:
            found.update(f'{node.module}.{alias.name}' if f'{node.module}.{alias.name}' in NAMES
                         else node.module for alias in node.names)
        elif isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
    return found & NAMES


FILES = [file for file in PACKAGE.rglob('*.py') if file != PACKAGE / '__init__.py']
NAMES = {name_of(file) for file in FILES}


def test_no_module_imports_from_a_layer_above_its_own():
    for file in FILES:
        name = '.'.join(['ik_node', *file.relative_to(PACKAGE).with_suffix('').parts])
        own = layer(name)
        assert own is not None, f'{name} stands in no layer'
        for module in imports(file):
            if module.startswith('ik_node.') and layer(module) is not None:
                assert layer(module) <= own, f'{name} imports {module}'


def test_there_is_no_circle_of_imports():
    graph = {name_of(file): all_imports(file) for file in FILES}

    def reached(name):
        found, waiting = set(), [name]
        while waiting:
            new = graph[waiting.pop()] - found
            found |= new
            waiting.extend(new)
        return found
    assert {name for name in graph if name in reached(name)} == set()


def test_the_tree_is_flat_and_names_say_one_thing():
    modules = [file for file in FILES if file.name != '__init__.py']
    loose = [file for file in modules if file.parent == PACKAGE / 'solvers']
    assert len(loose) <= 8, f'{loose}: the folders of solvers/ have the others'
    short = [name_of(file) for file in modules if file.read_text().count('\n') < 60]
    assert len(short) <= 20, f'too many short modules: {short}'
    same = Counter(file.name for file in modules).most_common(1)
    assert same[0][1] <= 3, f'modules of the same name: {same}'
    deep = [file for file in modules if len(file.relative_to(PACKAGE).parts) > 4]
    assert not deep, 'folders within folders within folders'
    classes = Counter(node.name for file in modules for node in parsed(file).body
                      if isinstance(node, ast.ClassDef) and not node.name.startswith('_'))
    assert max(classes.values()) == 1, classes.most_common(3)


@pytest.mark.parametrize(('package', 'parts'), [('ros', ROS_LAYERS), ('solvers', SOLVER_LAYERS)])
def test_parts_of_a_package_import_one_way(package, parts):
    layers = {part: number for number, names in enumerate(parts) for part in names}
    for file in FILES:
        _, first, *own = name_of(file).split('.')
        if first == package and own:
            for module in all_imports(file):
                _, other, *part = module.split('.')
                if other == package and part and part[0] != own[0]:
                    assert layers[part[0]] < layers[own[0]], f'{name_of(file)} imports {module}'


def test_a_command_handles_signals_before_it_imports_what_takes_long():
    code = ('import sys, ik_node.commands.entry_points\n'
            'assert not {"numpy", "rclpy", "typing"} & (set(sys.modules) - before)')
    subprocess.run([sys.executable, '-c', f'import sys; before = set(sys.modules)\n{code}'],
                   check=True, timeout=120, cwd=PACKAGE.parent)


def test_a_node_starts_without_scipy_which_takes_as_long_to_import_as_rclpy():
    code = 'import sys, ik_node.ros.node\nassert not {"scipy", "matplotlib"} & set(sys.modules)'
    subprocess.run([sys.executable, '-c', code], check=True, timeout=120, cwd=PACKAGE.parent)


def test_only_ros_imports_ros():
    for file in FILES:
        if file.relative_to(PACKAGE).parts[0] != 'ros':
            for module in imports(file):
                assert module.split('.')[0] not in ('rclpy', 'tf2_ros'), file


def test_everything_but_what_needs_ros_imports_without_rclpy():
    for name in ('trimesh', 'fast_simplification'):
        pytest.importorskip(name, reason=f'{name} is not installed (make test brings it)')
    modules = sorted('.'.join(['ik_node', *file.relative_to(PACKAGE).with_suffix('').parts])
                     for file in FILES
                     if file.relative_to(PACKAGE).parts[0] not in NEEDS_ROS
                     and file.stem != '__init__')
    code = ('import sys, importlib\n'
            'sys.modules["rclpy"] = None\n'
            f'for name in {modules!r}: importlib.import_module(name)\n')
    subprocess.run([sys.executable, '-c', code], check=True, timeout=120, cwd=PACKAGE.parent)


def test_the_map_of_the_code_names_what_there_is():
    docs = PACKAGE.parent / 'docs'
    pages = ((docs / 'architecture.md').read_text().partition('| question |')[2],
             (docs / 'adding_a_topic.md').read_text())
    rows = [line for page in pages for line in page.splitlines()
            if line.startswith('| ') and '`' in line]
    assert len(rows) > 10
    for row in rows:
        for name, file in re.findall(r'`(\w+)` of `([\w/]+\.py)`', row):
            assert re.search(rf'(def|class) {name}\b|^    {name}:|^{name}\b',
                             (PACKAGE / file).read_text(), re.M), (row, name)
        named = re.findall(r'`([^`]+)`', row.replace('`ik_node/`', ''))
        places = [place for name in named if '/' in name or name.endswith('.py')
                  for place in (PACKAGE / name, PACKAGE / 'solvers/analytic' / name,
                                PACKAGE.parent / name) if place.exists()]
        paths = [name for name in named if '/' in name or name.endswith('.py')]
        assert len(places) >= len(paths), row
        code = '\n'.join(place.read_text() for place in places if place.suffix == '.py')
        for name in set(named) - set(paths):
            # A package, or something that one of the files of the row has.
            assert any(folder.is_dir() for folder in PACKAGE.glob(f'**/{name}')) or re.search(
                rf'\b{name.rpartition(".")[2]}\b', code), (row, name)
