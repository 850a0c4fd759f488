"""Joint values as a goal of a controller, and goals repeated while the arm moves elsewhere."""

import numpy as np
import pytest

from harness.controller_rig import CHAIN, FAR, START, Rig, moving, near, path
from harness.goal_runs import run


def arrive(rig):
    while rig.controller.motion is not None:
        rig.advance(0.5)


def test_joints_jump_there_and_the_path_ends():
    rig = Rig()
    rig.controller.waypoints.extend(path(near(0.1), near(0.2)))
    assert run(rig.controller.go_to(START + 0.1)) is None
    assert rig.q == pytest.approx(START + 0.1, abs=0.0)
    assert not rig.controller.waypoints
    assert rig.controller.has_moved


@moving
def test_a_motion_goes_to_the_very_values_and_home_to_the_nearest_turn(motion):
    rig = Rig(motion)
    q = START.copy()
    q[5] = 6.0  # of a joint with a range of two turns
    duration = run(rig.controller.go_to(q))
    rig.advance(duration)
    assert rig.q == pytest.approx(q, abs=1e-9)
    arrive(rig)
    run(rig.controller.go_to_start())
    arrive(rig)
    home = rig.controller.group.start
    assert np.cos(rig.q - home) == pytest.approx(np.ones(6), abs=1e-9)


@moving
def test_a_goal_is_not_taken_for_one_that_the_arm_moves_to_after_it_was_sent_elsewhere(motion):
    for elsewhere in (lambda rig: run(rig.controller.go_to(START + 0.1)),
                      lambda rig: run(rig.controller.go_to_start()),
                      lambda rig: run(rig.controller.halt())):
        rig = Rig(motion)
        rig.go(near(0.0, 0.0, 0.05))
        rig.advance(0.05)
        elsewhere(rig)
        rig.advance(0.05)
        rig.go(near(0.0, 0.0, 0.05))
        arrive(rig)
        assert CHAIN.forward(rig.q) == pytest.approx(near(0.0, 0.0, 0.05).pose, abs=1e-3)


@moving
def test_a_goal_that_is_not_met_is_not_accepted_when_it_is_repeated_during_a_motion(motion):
    rig = Rig(motion)
    rig.go(near(0.0, 0.0, 0.05))
    rig.advance(0.05)
    for _ in range(2):
        assert not rig.go(FAR).accepted
