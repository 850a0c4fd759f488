"""Joint states of a moving arm are those of their stamps, whatever else the node does meanwhile."""

import numpy as np
import pytest

pytest.importorskip('ruckig', reason='ruckig is not installed (make test brings it from PyPI)')

from harness.bent_arm import ARM, START
from harness.node_here import running
from harness.random_motion import RandomMotion
from ik_node.solvers.arm.base import Solver


@pytest.fixture(scope='module')
def shared():
    with running(urdf_path=ARM, motion='joint') as node:
        yield node.ready()


@pytest.fixture(params=['joint', 'cartesian'])
def mode(request):
    return request.param


@pytest.fixture
def driven(shared, mode):
    """Return what drives the node, from its start and with a seed of its own for each test."""
    assert shared.set(motion='jump', publish_rate=100.0, speed=1.0,
                      on_failure='hold', solver='dls', start_pose=START) == (True, '')
    assert shared.reset().success
    assert shared.set(motion=mode) == (True, '')
    return RandomMotion(shared, ARM, mode, np.random.default_rng(5))


def more(motion, count=1):
    """Return what tells whether as many joint states have come since."""
    wanted = motion.heard + count
    return lambda: motion.heard >= wanted


def wait_for_more(motion, count=1):
    assert motion.node.until(more(motion, count)), motion.node.log()


def test_consecutive_joint_states_keep_to_the_velocity_limits(driven):
    for _ in range(20):
        driven.act()
        wait_for_more(driven, int(driven.rng.integers(3, 25)))
    assert driven.node.alive(), driven.node.log()
    assert driven.velocity.moving > 60
    assert driven.velocity.worst <= 1.01, driven.velocity.pair


@pytest.fixture
def slow(shared, monkeypatch):
    """Let every search take 30 ms."""
    solve = Solver.solve

    def search(*arguments, **options):
        shared.work(0.03)
        return solve(*arguments, **options)
    monkeypatch.setattr(Solver, 'solve', search)


@pytest.mark.parametrize('mode', ['joint'])
@pytest.mark.parametrize('on_failure', ['hold', 'closest'])
@pytest.mark.parametrize('goal', ['far', 'stretched', 'malformed', 'unknown frame'])
def test_a_goal_that_fails_during_a_motion_is_reported_with_the_state_of_that_moment(
        driven, slow, goal, on_failure):
    assert driven.node.set(speed=0.3, on_failure=on_failure) == (True, '')
    driven.go('anywhere')
    assert driven.node.until(lambda: driven.velocity.moving > 0), driven.node.log()
    for _ in range(8):
        driven.go(goal)
        wait_for_more(driven, 2)
    assert driven.velocity.moving > 5
    assert driven.velocity.worst <= 0.3 * 1.01, driven.velocity.pair


def test_simulated_time_may_jump(driven):
    now, rng = 1000.0, np.random.default_rng(3)
    for k in range(5000):
        if k >= 200 and driven.velocity.moving > 20:
            break
        if k % 20 == 0:
            driven.act(others=0.0)
        now = float(rng.uniform(0.0, 2000.0)) if k % 45 == 44 else now + 0.02
        driven.node.set_time(now)
    assert driven.node.alive(), driven.node.log()
    assert driven.velocity.moving > 20
    assert driven.velocity.worst <= 1.01, driven.velocity.pair
