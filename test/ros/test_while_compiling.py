"""A node whose kernels are being compiled, for the first time on a machine."""

import fcntl
import signal

import pytest
from diagnostic_msgs.msg import DiagnosticArray

import robots
from ik_node import KinematicTree
from ik_node._jit import HAVE_NUMBA
from ros_harness import running

FILE = robots.OWN / 'planar_3r.urdf'
pytestmark = [
    pytest.mark.slow,  # a compiler runs beside each node
    pytest.mark.skipif(not HAVE_NUMBA, reason='nothing is compiled without numba')]


@pytest.mark.parametrize('solver', ['dls', 'analytic', 'optimization', 'ccd'])
def test_while_it_compiles_goals_are_answered_at_once(tmp_path, monkeypatch, solver):
    # Those that compile little and much, that run scipy, and that need many iterations.
    monkeypatch.setenv('NUMBA_CACHE_DIR', str(tmp_path))
    chain = KinematicTree.from_urdf(FILE).chain()
    with running(urdf_path=FILE, solver=solver) as node:
        assert 'kernels in the background, once after installing' in node.log()
        health = node.listen(DiagnosticArray, '/diagnostics')
        answer = node.client.send(chain.forward([0.3, 0.4, 0.5]))
        # Of these plain Python makes too few iterations in the time there is.
        assert answer.met or (solver in ('ccd', 'optimization')
                              and answer.values['reason'] == 'TIMEOUT'), answer
        far = chain.forward([0.3, 0.4, 0.5])
        far[2, 3] += 1.0  # out of the arm's plane: plain Python does not prove that in time
        for failure in ('hold', 'closest'):
            assert node.set(on_failure=failure)[0]
            answer = node.client.send(far)
            assert answer.values['reason'] in ('TIMEOUT', 'UNREACHABLE', 'LIMITS', 'SINGULAR')
            if answer.values['reason'] == 'TIMEOUT':
                assert 'the time ran out: the kernels are being compiled' in answer.message
        assert node.until(lambda: health)
        names = {pair.key: pair.value for pair in health[-1].status[0].values}
        if 'ready: ' not in node.log():
            assert names['compiling']
            assert 'kernels are being compiled' in health[-1].status[0].message
        assert node.stop(signal.SIGINT) == 0
    assert not list(tmp_path.rglob('compiler.lock')) or is_free(next(tmp_path.rglob('*.lock')))


def is_free(file):
    """Tell whether no compiler holds a lock."""
    with file.open() as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
    return True
