"""Machine code is read only from a folder that nobody else can write."""

import os
import pickle
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from ik_node import _jit
from ik_node._jit import cache
from ik_node.kinematics.spatial_kernels import is_pose

pytestmark = pytest.mark.skipif(not _jit.HAVE_NUMBA, reason='nothing is compiled without numba')


@pytest.fixture
def chosen(tmp_path, monkeypatch):
    """Choose a cache folder by XDG_CACHE_HOME, as for a new process; return what chooses again."""
    monkeypatch.delenv('NUMBA_CACHE_DIR', raising=False)
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path / 'home'))
    monkeypatch.setattr(tempfile, 'tempdir', str(tmp_path))

    def choose():
        cache.folder.cache_clear()
        cache._temporary.cache_clear()
        return cache.folder()
    yield choose
    cache.folder.cache_clear()
    cache._temporary.cache_clear()


def mode(path):
    return path.lstat().st_mode & 0o777


def test_the_folder_is_made_with_mode_0700_and_found_again(chosen, tmp_path):
    folder = chosen()
    assert folder.is_relative_to(tmp_path / 'home' / 'ik_node')
    assert mode(folder) == 0o700
    assert cache.write(is_pose, b'code')
    assert chosen() == folder
    assert cache.read(is_pose) == b'code'
    assert not cache.is_temporary()


def opened_to_others(folder):
    folder.chmod(0o755)


def of_another_user(folder):
    os.chown(folder, 12345, 12345)


def a_link(folder):
    folder.rename(folder.with_name('elsewhere'))
    folder.symlink_to(folder.with_name('elsewhere'))


def a_file(folder):
    folder.rename(folder.with_name('elsewhere'))
    folder.write_text('')


@pytest.mark.parametrize('changed', [opened_to_others, of_another_user, a_link, a_file])
def test_a_folder_that_is_not_private_is_neither_chosen_nor_read(chosen, changed):
    if changed is of_another_user and os.getuid() != 0:
        pytest.skip('only root gives folders away')
    folder = chosen()
    assert cache.write(is_pose, b'planted')
    changed(folder)
    assert cache.read(is_pose) is None  # though it was private when it was chosen
    other = chosen()
    assert other != folder
    assert mode(other) == mode(other.parent) == 0o700
    assert cache.is_temporary()
    assert cache.read(is_pose) is None


def test_a_folder_in_tmp_that_others_could_have_made_is_not_used(chosen, tmp_path, monkeypatch):
    (tmp_path / 'file').write_text('')
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path / 'file' / 'none'))
    planted = tmp_path / f'ik_node-{os.getuid()}'
    planted.mkdir(mode=0o700)
    assert not chosen().is_relative_to(planted)
    assert cache.is_writable()
    assert chosen() != chosen()  # each process has its own


class Planted:
    """What leaves a file behind where it is unpickled."""

    def __init__(self, trace):
        self.trace = trace

    def __reduce__(self):
        return Path.touch, (self.trace,)


@pytest.mark.slow
def test_planted_code_is_not_run_and_the_compiler_uses_the_same_folder(tmp_path):
    shared, trace = tmp_path / 'shared', tmp_path / 'trace'
    code = ('from ik_node import _jit; from ik_node._jit import cache; '
            'from ik_node.kinematics.spatial_kernels import is_pose; ')
    given = {**os.environ, 'NUMBA_CACHE_DIR': str(shared), 'TMPDIR': str(tmp_path),
             'PYTHONPATH': str(Path(__file__).parents[2])}

    def run(then):
        return subprocess.run([sys.executable, '-c', code + then], env=given, text=True,
                              capture_output=True, check=True, timeout=200).stdout.strip()
    path = Path(run('print(cache.path_of(is_pose))'))
    path.write_bytes(pickle.dumps(Planted(trace)))
    path.parent.chmod(0o777)
    assert run('_jit.prepare([is_pose]); print(is_pose.is_plain, cache.folder())').startswith(
        f'False {tmp_path}/ik_node-')
    assert not trace.exists()
    assert list(tmp_path.glob('ik_node-*')) == []  # removed at the end
