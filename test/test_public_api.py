import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import ik_node
import robots
from ik_node.solvers.registry import built_in_names, solver_class

ROOT = Path(__file__).parents[1]
README = (ROOT / 'README.md').read_text()
CODE = re.findall(r'```python\n(.*?)```', README, re.DOTALL)
SOLVER_TABLE = re.findall(r'^\| \[`(\w+)`\]\(docs/solvers/', README, re.MULTILINE)


def test_it_is_what_the_readme_says_and_nothing_else():
    exported, = re.findall(r'The package exports (.*?)\.\n', README, re.DOTALL)
    assert sorted(ik_node.__all__) == sorted(re.findall(r'`(\w+)`', exported))
    for name in ik_node.__all__:
        assert getattr(ik_node, name).__doc__


@pytest.mark.parametrize('code', [code for code in CODE if 'import' in code])
def test_the_code_of_the_readme_runs(code, tmp_path, monkeypatch, capsys):
    shutil.copy(robots.OWN / 'arm_6r.urdf', tmp_path / 'arm.urdf')
    monkeypatch.chdir(tmp_path)
    names = {}
    exec(compile(code, 'README.md', 'exec'), names)
    assert names['result'].success
    assert capsys.readouterr().out.startswith('True [')


def test_what_the_readme_calls_there_is(monkeypatch):
    monkeypatch.chdir(ROOT)
    tree = ik_node.KinematicTree.from_dh('config/dh/panda.yaml')
    chain = tree.chain()
    solver = ik_node.make_solver('dls', chain)
    said = {'tree': tree, 'chain': chain, 'solver': solver, 'KinematicTree': ik_node.KinematicTree,
            'result': solver.solve(chain.forward(chain.neutral()))}
    called = re.findall(rf'`({"|".join(said)})\.(\w+)', README)
    assert len(called) >= 7
    for name, attribute in called:
        assert hasattr(said[name], attribute), f'{name}.{attribute}'


def test_the_readme_lists_every_solver():
    assert sorted(SOLVER_TABLE) == list(built_in_names())


def test_the_reasons_to_stop_have_their_names_and_say_them_in_words():
    assert [reason.name for reason in ik_node.StopReason] == [
        'CONVERGED', 'UNREACHABLE', 'LIMITS', 'SINGULAR', 'STALLED', 'ITERATIONS', 'TIMEOUT',
        'COLLISION']
    assert all(' ' in reason.value for reason in ik_node.StopReason)


def test_the_version_is_the_same_everywhere():
    version = ik_node.__version__
    assert f'<version>{version}</version>' in (ROOT / 'package.xml').read_text()  # of setup.py, too
    assert f'version: "{version}"' in (ROOT / 'conda' / 'recipe.yaml').read_text()
    releases = re.findall(r'^(\S+) \([\d-]+\)\n-+$', (ROOT / 'CHANGELOG.rst').read_text(), re.M)
    assert releases[0] == version


def test_help_names_every_solver_and_every_option():
    text = ik_node.make_solver.__doc__
    for name in built_in_names():
        assert f'- {name}: ' in text
        for option in solver_class(name).Options.specs():
            assert re.search(rf'\b{option}\b', text), option


def test_the_package_is_marked_as_typed():
    assert (Path(ik_node.__file__).parent / 'py.typed').exists()


def test_the_package_is_found_where_a_folder_has_its_name(tmp_path):
    (tmp_path / 'ik_node').mkdir()  # as in the folder above a checkout
    subprocess.run([sys.executable, '-c', 'import ik_node; ik_node.make_solver'], check=True,
                   cwd=tmp_path, timeout=120)


def test_the_sources_that_are_published_have_every_kind_of_file_of_their_folders():
    if not (ROOT / 'MANIFEST.in').exists():
        pytest.skip('installed, without its sources')
    for folder, patterns in re.findall(r'^recursive-include (?!ik_node)(\w+) (.+)',
                                       (ROOT / 'MANIFEST.in').read_text(), re.MULTILINE):
        found = {f'*{file.suffix}' for file in (ROOT / folder).rglob('*')
                 if file.is_file() and file.suffix not in ('.pyc', '.pyo')}
        assert found <= {*patterns.split()}, folder
