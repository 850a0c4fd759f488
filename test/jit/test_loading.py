"""Machine code that comes later: from the disk, or from a compiler beside."""

import json
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from ik_node import _jit
from ik_node._jit import cache

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.skipif(not _jit.HAVE_NUMBA, reason='nothing is compiled without numba')

HEAD = '''
import json, os, signal, sys, time
import numpy as np
from ik_node import _jit
from ik_node._jit import loading
from ik_node.kinematics.spatial_kernels import is_pose, rotation_defect
def compiler():
    return loading._loader._process.pid
def wait_for(condition, seconds=60.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)
'''


def script(code):
    return [sys.executable, '-c', HEAD + textwrap.dedent(code)]


def environment(folder, **more):
    return {**os.environ, 'NUMBA_CACHE_DIR': str(folder), 'PYTHONPATH': str(ROOT), **more}


def run(code, folder, **more):
    """Run a script with a cache folder; return what it prints, a JSON text."""
    done = subprocess.run(script(code), env=environment(folder, **more), capture_output=True,
                          text=True, timeout=200, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


def files(folder):
    return {file.name.split('-')[0] for file in Path(folder).rglob('*.bin')}


def test_with_an_empty_cache_the_first_call_runs_at_once_and_later_ones_machine_code(tmp_path):
    first, steps, *now = run('''
        first = is_pose(np.eye(4), 1e-9), is_pose.is_plain, 'numba' in sys.modules
        steps = []
        _jit.prepare([is_pose, rotation_defect], lambda *step: steps.append(step))
        print(json.dumps([first[:2], steps, is_pose.is_plain, is_pose(np.eye(4), 1e-9)]))
        ''', tmp_path)
    assert first == [True, True]
    assert now == [False, True]
    # Both may be ready at the second look.
    all_steps = [[0, 2, 'is_pose'], [1, 2, 'rotation_defect'], [2, 2, '']]
    assert steps in (all_steps, [all_steps[0], all_steps[2]])
    assert files(tmp_path) == {'ik_node.kinematics.spatial_kernels.is_pose',
                               'ik_node.kinematics.spatial_kernels.rotation_defect'}
    # What is on disk is loaded by the first call, and no compiler is started.
    assert run('''
        value = is_pose(np.eye(4), 1e-9)
        print(json.dumps([value, is_pose.is_plain, loading._loader._process is None]))
        ''', tmp_path) == [True, False, True]
    # In a node it is loaded beside.
    assert run('''
        _jit.load_in_background()
        value, plain = is_pose(np.eye(4), 1e-9), is_pose.is_plain
        wait_for(lambda: not is_pose.is_plain)
        print(json.dumps([value, plain, is_pose(np.eye(4), 1e-9)]))
        ''', tmp_path) == [True, True, True]


@pytest.mark.slow
def test_two_processes_that_need_the_same_share_one_compiler(tmp_path):
    code = '''
        _jit.prepare([is_pose, rotation_defect])
        print(json.dumps([is_pose.is_plain, rotation_defect.is_plain]))
        '''
    both = [subprocess.Popen(script(code), env=environment(tmp_path), stdout=subprocess.PIPE,
                             text=True) for _ in range(2)]
    for process in both:
        assert json.loads(process.communicate(timeout=200)[0]) == [False, False]
    assert len(list(tmp_path.rglob('*.bin'))) == 2


@pytest.mark.slow
def test_a_process_that_has_its_kernels_keeps_no_other_from_compiling(tmp_path):
    first = subprocess.Popen(script('''
        _jit.prepare([is_pose])
        print('ready', flush=True)
        sys.stdin.read()
        '''), env=environment(tmp_path), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        assert first.stdout.readline() == 'ready\n'
        assert run('''
            _jit.prepare([rotation_defect])
            print(json.dumps(rotation_defect.is_plain))
            ''', tmp_path) is False
        assert first.poll() is None
    finally:
        first.communicate(timeout=60)
    assert files(tmp_path) == {'ik_node.kinematics.spatial_kernels.is_pose',
                               'ik_node.kinematics.spatial_kernels.rotation_defect'}


@pytest.mark.slow
def test_a_cache_that_cannot_be_written_costs_nothing_but_time(tmp_path):
    file = tmp_path / 'file'
    file.write_text('')
    assert run('''
        import tempfile
        tempfile.tempdir = os.environ['NUMBA_CACHE_DIR']
        value = is_pose(np.eye(4), 1e-9)
        _jit.prepare([is_pose])
        print(json.dumps([value, is_pose.is_plain, loading._loader._process is None]))
        ''', file / 'folder') == [True, False, True]


@pytest.mark.slow
def test_a_compiler_that_is_killed_is_started_again_and_then_done_without(tmp_path):
    assert run('''
        _jit.begin([is_pose])
        for _ in range(2):
            wait_for(lambda: loading._loader._process is not None)
            os.kill(compiler(), signal.SIGKILL)
            dead = loading._loader._process
            wait_for(lambda: loading._loader._process is not dead)
        value = is_pose(np.eye(4), 1e-9)
        _jit.prepare([is_pose])
        print(json.dumps([value, is_pose.is_plain]))
        ''', tmp_path) == [True, False]


@pytest.mark.slow
def test_a_forked_process_has_its_own_compiler(tmp_path):
    assert run('''
        _jit.begin([is_pose])
        wait_for(lambda: loading._loader._process is not None)
        outlet, inlet = os.pipe()
        if os.fork() == 0:
            value = is_pose(np.eye(4), 1e-9)
            _jit.prepare([is_pose])
            os.write(inlet, json.dumps([value, is_pose.is_plain]).encode())
            os._exit(0)
        _jit.prepare([is_pose])
        print(json.dumps([json.loads(os.read(outlet, 100)), is_pose.is_plain]))
        ''', tmp_path) == [[True, False], False]


@pytest.mark.slow
@pytest.mark.parametrize('how', ['killed', 'stopped', 'ended'])
def test_the_compiler_ends_with_its_parent_unless_that_ends_on_its_own(tmp_path, how):
    code = '''
        _jit.begin([is_pose])
        wait_for(lambda: loading._loader._process is not None)
        print(compiler(), flush=True)
        if sys.argv[1] == 'ended':
            sys.exit()
        if sys.argv[1] == 'stopped':
            _jit.stop()
            print(is_pose(np.eye(4), 1e-9), flush=True)
        signal.pause()
        '''
    with subprocess.Popen([*script(code), how], env=environment(tmp_path), text=True,
                          stdout=subprocess.PIPE) as parent:
        compiler = int(parent.stdout.readline())
        if how == 'killed':
            os.kill(parent.pid, signal.SIGKILL)
        elif how == 'stopped':
            assert parent.stdout.readline() == 'True\n'
        else:
            parent.wait(60)
        assert gone(compiler, 60.0)
        parent.kill()
    assert files(tmp_path) == (
        {'ik_node.kinematics.spatial_kernels.is_pose'} if how == 'ended' else set())


def gone(process, seconds):
    """Wait until a process that is not a child of this one has ended."""
    try:
        descriptor = os.pidfd_open(process)
    except ProcessLookupError:
        return True
    import select
    try:
        return bool(select.select([descriptor], [], [], seconds)[0])
    finally:
        os.close(descriptor)


@pytest.mark.slow
def test_a_broken_file_is_made_anew(tmp_path):
    run('_jit.prepare([is_pose]); print(0)', tmp_path)
    file, = tmp_path.rglob('*.bin')
    file.write_bytes(file.read_bytes()[:1000])
    assert run('''
        value = is_pose(np.eye(4), 1e-9)
        _jit.prepare([is_pose])
        print(json.dumps([value, is_pose.is_plain]))
        ''', tmp_path) == [True, False]
    assert len(file.read_bytes()) > 1000


@pytest.mark.slow
def test_machine_code_is_named_after_the_code_of_all_it_calls(tmp_path):
    package = tmp_path / 'arms'
    package.mkdir()
    (package / '__init__.py').write_text('')
    (package / 'caller.py').write_text(
        'from ik_node._jit import entry\nfrom arms.callee import f\n'
        '@entry\ndef g(x: float) -> float:\n    return f(x) + 1.0\n')
    found, digests = [], []
    for factor, other in (('2.0', ''), ('3.0', ''), ('2.0', '# why'), ('2.0', 'def h(): pass')):
        (package / 'callee.py').write_text(
            'from ik_node._jit import njit\n'
            f'FACTOR = {factor}\n{other}\n@njit\ndef f(x):\n    return FACTOR * x\n')
        value, digest = run('''
            from ik_node._jit import cache
            from arms.caller import g
            _jit.prepare([g])
            assert not g.is_plain
            print(json.dumps([g(1.0), cache.digest(g)]))
            ''', tmp_path / 'cache', PYTHONPATH=f'{ROOT}:{tmp_path}')
        found.append(value)
        digests.append(digest)
    assert found == [3.0, 4.0, 3.0, 3.0]
    assert digests[0] == digests[2] == digests[3] != digests[1]


def test_another_version_of_numba_has_a_folder_of_its_own(monkeypatch):
    own = cache.environment()
    monkeypatch.setattr(cache.importlib.metadata, 'version', lambda name: '0.0.0')
    assert cache.environment() != own
