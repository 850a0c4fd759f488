"""Machine code of the body solvers gives what plain Python gives, to the last bit."""

import numpy as np
import pytest

from ik_node import _jit, make_body_solver
from ik_node.solvers.body import compiled
from ik_node.tasks import AlignAxis, CenterOfMass, Distance, HalfSpace, LookAt, Pose, Position
from task_bodies import bounds, every_task, figure

needs_numba = pytest.mark.skipif(not _jit.HAVE_NUMBA, reason='numba is not installed')


def task_sets(body, q):
    """Return sets of tasks that q meets, nearly all kinds."""
    F, com = body.forward(q), body.center_of_mass(q)
    nose = F['nose']
    return [
        [Pose('hand', F['hand']), LookAt('nose', (1, 0, 0), nose[:3, 3] + 0.8 * nose[:3, 0])],
        [AlignAxis('fore', (0, 0, 1), F['fore'][:3, 2]), CenterOfMass(com, weight=0.3)],
        [Position('hand', F['hand'][:3, 3]), HalfSpace('finger', (0, 0, 0), F['finger'][:3, 3],
                                                       (1, 0, 0)),
         Distance('finger', 'nose', upper=1e-3 + np.linalg.norm(
             F['finger'][:3, 3] - nose[:3, 3]))],
        every_task(body)]


@needs_numba
@pytest.mark.parametrize('which', range(4))
@pytest.mark.parametrize('weights', [None, 2.0])
def test_a_descent_and_its_rows_are_the_same(which, weights, monkeypatch):
    body, rng = figure('floating'), np.random.default_rng(which)
    options = {'max_restarts': 0, 'max_iterations': 12}
    if weights is not None:
        options['joint_weights'] = np.linspace(1.0, weights, body.n_joints)
    q = rng.uniform(*(0.5 * bound for bound in bounds(body)))
    solver = make_body_solver('hierarchy', body, task_sets(body, q)[which], **options)
    solver.prepare()
    q0 = q + rng.uniform(-0.3, 0.3, body.n_joints)

    def results():
        levels = solver._levels_now()
        single = levels[0].packed
        found = single.descend(np.clip(q0, body.lower, body.upper), np.inf, False)
        verified = single.solve(np.clip(q0, body.lower, body.upper), q, np.inf)
        rows = single.rows(q0)
        return [found.q.tolist(), found.reason, found.iterations, verified[0].q.tolist(),
                *verified[1:], rows[0].tolist(), rows[1].tolist(), *rows[2:]]

    assert not compiled.attempt.is_plain
    fast = results()
    for kernel in compiled.KERNELS:
        monkeypatch.setattr(kernel, '_call', kernel._run_plain)
    assert results() == fast
    # And in parts, as where the clock is looked at.
    monkeypatch.setattr(compiled, '_CHUNK', 1)
    part = solver._levels_now()[0].packed.descend(
        np.clip(q0, body.lower, body.upper), 1e300, False)
    assert part.q.tolist() == fast[0]
    assert part.iterations == fast[2]
