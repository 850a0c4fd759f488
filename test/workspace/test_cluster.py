import os
import signal
import socket
import subprocess
import sys

import numpy as np
import pytest

import robots
from ik_node import InputError
from ik_node.workspace import filling, reachability_map

ARRAYS = ('depth', 'manipulability', 'rows', 'headings')


def small(name='arm_6r', **options):
    return reachability_map(robots.chain(name), 0.25, 6, 6, **options)


def assert_same(one, other):
    for name in ARRAYS:
        assert np.array_equal(getattr(one, name), getattr(other, name)), name
    assert one.info == other.info


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    """Let a small map have several blocks on disk."""
    monkeypatch.setattr(filling, '_BYTES', 200_000)


class StoppedError(Exception):
    pass


def test_a_run_with_chunks_is_the_same_and_is_continued_where_it_was_ended(tmp_path):
    expected, calls, again = small('panda', exact=True), [], []

    def stop(done, stage):
        calls.append(stage)
        if stage == 'solving from neighbours':
            raise StoppedError
    with pytest.raises(StoppedError):
        small('panda', exact=True, chunks=tmp_path, progress=stop)
    kept = {file: file.stat().st_mtime_ns for file in tmp_path.glob('block-*.npz')}
    assert kept
    found = small('panda', exact=True, chunks=tmp_path, progress=lambda *call: again.append(call))
    assert_same(found, expected)
    assert again[-1] == (1.0, 'done')
    before = {file: file.stat().st_mtime_ns for file in kept}
    assert_same(small('panda', exact=True, chunks=tmp_path), expected)
    assert {file: file.stat().st_mtime_ns for file in kept} == before  # nothing was done again


def test_chunks_are_small_and_samples_of_steps_on_disk_are_not_located_again(tmp_path, monkeypatch):
    small('panda', chunks=tmp_path)
    size = sum(file.stat().st_size for file in tmp_path.glob('block-*.npz'))
    cells = small('panda').lattice
    assert size < 0.5 * cells.size * (80 + 8 * cells.turns)
    monkeypatch.setattr(filling, 'locate', None)
    assert_same(small('panda', chunks=tmp_path), small('panda', chunks=tmp_path))


_RUN = '''
import sys
sys.path[:0] = sys.argv[2:]
import robots
from ik_node.workspace import filling, reachability_map
filling._BYTES = 200_000
reachability_map(robots.chain('panda'), 0.25, 6, 6, exact=True, chunks=sys.argv[1],
                 progress=lambda done, stage: print(stage, flush=True))
'''


@pytest.mark.slow  # a process of its own
@pytest.mark.parametrize('stage', ['sampling', 'solving from', 'solving for'])
def test_a_run_that_is_killed_whole_is_continued_from_its_chunks(tmp_path, stage):
    paths = [path for path in sys.path if path]
    run = subprocess.Popen([sys.executable, '-c', _RUN, str(tmp_path / 'parts'), *paths],
                           stdout=subprocess.PIPE, text=True)
    with run:
        assert any(line.startswith(stage) for line in run.stdout)
        run.kill()
    assert run.returncode == -signal.SIGKILL
    assert list((tmp_path / 'parts').glob('block-*.npz'))
    assert_same(small('panda', exact=True, chunks=tmp_path / 'parts'), small('panda', exact=True))


def test_a_folder_of_another_map_and_a_damaged_block_are_refused(tmp_path):
    small('arm_6r', chunks=tmp_path)
    with pytest.raises(InputError, match='has the blocks of another map'):
        small('scara', chunks=tmp_path)
    with pytest.raises(InputError, match='has the blocks of another map'):
        small('arm_6r', seed=1, chunks=tmp_path)
    (tmp_path / 'block-0001.npz').write_bytes(b'PK\x03\x04')
    with pytest.raises(InputError, match=r'block-0001.npz. is damaged .*remove it'):
        small('arm_6r', chunks=tmp_path)
    (tmp_path / 'block-0001.npz').unlink()
    assert_same(small('arm_6r', chunks=tmp_path), small('arm_6r'))


def test_a_full_disk_ends_a_run_and_loses_no_block(tmp_path, monkeypatch):
    saved, calls = np.savez, []

    def full(stream, **arrays):
        calls.append(stream)
        if len(calls) > 4:
            stream.write(b'PK')
            raise OSError(28, 'No space left on device')
        saved(stream, **arrays)
    monkeypatch.setattr(np, 'savez', full)
    with pytest.raises(OSError, match=r"No space left on device: '.*block-000.\.npz'"):
        small(chunks=tmp_path, workers=1)
    assert not list(tmp_path.glob('*.part'))
    monkeypatch.setattr(np, 'savez', saved)
    assert_same(small(chunks=tmp_path), small())


@pytest.mark.parametrize(('options', 'words'), [
    ({'client': 3}, 'client must be'), ({'chunks': 3}, 'chunks must be a folder')])
def test_what_is_no_client_and_no_folder_is_refused(options, words):
    with pytest.raises(InputError, match=words):
        small(**options)


def test_a_scheduler_that_cannot_be_reached_is_named(monkeypatch):
    pytest.importorskip('distributed')
    monkeypatch.setattr(filling, '_TIMEOUT', 0.5)
    with socket.socket() as free:
        free.bind(('127.0.0.1', 0))
        address = f'tcp://127.0.0.1:{free.getsockname()[1]}'
        with pytest.raises(InputError, match=f'cannot reach the Dask scheduler .{address}'):
            small(client=address)
    with pytest.raises(InputError, match='cannot reach the Dask scheduler'):
        small(client='no address')


@pytest.fixture(scope='module')
def cluster():
    distributed = pytest.importorskip('distributed')
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None,
                                  host='127.0.0.1') as found:
        yield found


@pytest.mark.slow  # Dask gives its threads ten seconds to start
def test_workers_of_a_cluster_fill_the_same_map(cluster, tmp_path):
    from ik_node.collision import Box, Obstacle
    expected = small(exact=True)
    assert_same(small(exact=True, client=cluster.scheduler_address), expected)
    with cluster.get_client() as client:
        assert_same(small(exact=True, client=client, chunks=tmp_path), expected)
        wall = [Obstacle(Box((0.1, 2.0, 2.0)), np.eye(4))]
        assert_same(small(client=client, obstacles=wall), small(obstacles=wall))


@pytest.mark.slow  # Dask gives its threads ten seconds to start
def test_a_worker_that_is_killed_in_the_middle_changes_nothing(cluster):
    killed = []
    with cluster.get_client() as client:
        workers = client.run(os.getpid)

        def kill(done, stage):
            if stage == 'solving from neighbours' and not killed:
                killed.append(min(workers.values()))
                os.kill(killed[0], signal.SIGKILL)
        assert_same(small('panda', client=client, progress=kill), small('panda'))
        assert killed
