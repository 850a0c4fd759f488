import importlib.machinery
import os
import subprocess
import sys

import pytest

from compiled import outdated
from ik_node.support import plain

SUFFIX = importlib.machinery.EXTENSION_SUFFIXES[0]


def run(code, **environment):
    return subprocess.run([sys.executable, '-W', 'always', '-c', code], capture_output=True,
                          text=True, env={**os.environ, **environment}, check=True)


def test_the_sources_run_as_they_are_where_that_is_wanted():
    ended = run('from ik_node.solvers.kernel import linear; print(linear.__file__)',
                IK_NODE_PLAIN='1')
    assert ended.stdout.endswith('linear.py\n')
    assert 'not compiled' not in ended.stderr


def test_without_compiled_modules_one_warning_says_what_to_install():
    ended = run('from ik_node.support import plain; plain.use_sources();'
                'from ik_node.support import eigenvalues, linear_systems', IK_NODE_PLAIN='0')
    assert ended.stderr.count('gcc python3-dev') == 1


@pytest.mark.parametrize('value', ['', '0'])
def test_an_empty_variable_or_zero_wants_nothing(monkeypatch, value):
    monkeypatch.setenv('IK_NODE_PLAIN', value)
    assert not plain.is_wanted()


@pytest.fixture
def package(tmp_path):
    """Two kernels, one of them inlined in the other, compiled at time 200 from sources of 100."""
    for name, header in (('solver', 'cdef int f()'), ('inlined', '# Not compiled: inlined.')):
        (tmp_path / f'{name}.pxd').write_text(header)
        (tmp_path / f'{name}.py').write_text('')
    for path in tmp_path.iterdir():
        os.utime(path, (100, 100))
    (tmp_path / f'solver{SUFFIX}').write_text('')
    os.utime(tmp_path / f'solver{SUFFIX}', (200, 200))
    return tmp_path


def test_what_is_compiled_from_the_sources_as_they_are_is_not_outdated(package):
    assert outdated(package) == ()


@pytest.mark.parametrize('file', ['solver.py', 'solver.pxd', 'inlined.py', 'inlined.pxd'])
def test_a_source_that_is_newer_is(package, file):
    os.utime(package / file, (300, 300))
    assert outdated(package) == (file.split('.')[0],)


def test_a_module_that_is_missing_beside_others_is(package):
    (package / 'new.pxd').write_text('')
    (package / 'new.py').write_text('')
    os.utime(package / 'new.pxd', (100, 100))
    os.utime(package / 'new.py', (100, 100))
    assert outdated(package) == ('new',)


def test_where_nothing_is_compiled_nothing_is(package):
    (package / f'solver{SUFFIX}').unlink()
    assert outdated(package) == ()
