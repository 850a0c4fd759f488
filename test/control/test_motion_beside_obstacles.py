import math

import numpy as np
import pytest
import trimesh

from harness.controller_rig import CHAIN, START, TREE, Rig, moving, near
from harness.goal_runs import run
from ik_node.collision import Mesh, Obstacle, Sphere
from ik_node.control.arm import Arm
from ik_node.control.collision_world import CollisionWorld
from ik_node.control.group_source import GroupSource
from ik_node.control.options import ArmOptions, CollisionOptions
from ik_node.spatial import pose_from_rpy
from ik_node.support.exceptions import MotionError

GOAL = near(y=-0.4)
TIP = CHAIN.forward(START)[:3, 3] + (0.0, -0.28, 0.0)  # seven tenths of the way


def ball(at=TIP):
    return Obstacle(Sphere(0.05), pose_from_rpy(at, (0.0, 0.0, 0.0)), name='ball')


class Guarded(Rig):
    """A rig whose arm avoids collisions."""

    numbers = 0

    @staticmethod
    def arm(motion='jump', previous=None, tree=TREE, **options):
        return Arm(GroupSource(tree, ArmOptions(**options), motion=motion, collision_options=(
            CollisionOptions(avoid_collisions=True, margin=0.01))), previous)

    def show(self, *obstacles):
        self.numbers += 1
        self.controller.group.set_world(CollisionWorld(obstacles, 1, self.numbers))

    @property
    def is_free(self):
        return self.controller.group.solver.collisions.is_free(self.q)


@moving
def test_a_motion_into_an_obstacle_is_refused_and_the_arm_stays(motion):
    rig = Guarded(motion)
    rig.show(ball())
    with pytest.raises(MotionError, match="'ball'"):
        rig.go(GOAL)
    assert rig.controller.motion is None
    assert rig.q.tolist() == START.tolist()
    rig.show()
    assert rig.go(GOAL).duration > 0.5


@moving
@pytest.mark.parametrize('most', [1000, 3], ids=['at once', 'beside'])
def test_braking_does_not_wait_until_other_joints_are_placed(motion, most, monkeypatch):
    monkeypatch.setattr('ik_node.control.motion_executor._MANY', most)
    rig, placed = Guarded(motion), []
    duration = rig.go(GOAL).duration
    rig.advance(0.3 * duration)
    monkeypatch.setattr(rig.controller.group, 'place_others', placed.append)
    assert 0.0 < run(rig.controller.halt()) < 0.7 * duration
    assert not placed


@moving
def test_a_motion_brakes_before_an_obstacle_that_comes_into_its_path(motion):
    rig = Guarded(motion, speed=0.3)
    duration = rig.go(GOAL).duration
    rig.advance(0.15 * duration)
    rig.show(ball((0.0, 0.0, 3.0)))
    assert run(rig.controller.keep_clear()) == ''
    assert rig.controller.motion.duration == pytest.approx(duration)
    rig.show(ball())
    assert rig.is_free
    reason = run(rig.controller.keep_clear())
    assert reason.startswith('brakes: the motion would lead too near')
    assert "'ball'" in reason
    while rig.controller.motion is not None:
        rig.advance(0.01)
        assert rig.is_free
    assert np.abs(CHAIN.forward(rig.q)[:3, 3] - GOAL.pose[:3, 3]).max() > 0.1
    assert rig.now < duration


def test_an_arm_that_cannot_brake_in_time_brakes_as_soon_as_it_can():
    rig = Guarded('cartesian', speed=0.3)
    rig.advance(0.4 * rig.go(GOAL).duration)
    before = rig.q
    rig.show(ball())
    assert run(rig.controller.keep_clear()).startswith('brakes, which leads too near')
    assert rig.sink.motions[-1].duration < 0.3  # the speed of 0.3 is no limit of a stop
    rig.advance(0.3)
    assert rig.controller.motion is None
    assert np.abs(rig.q - before).max() < 0.1


def test_where_collisions_do_not_matter_a_motion_goes_on():
    rig = Rig('cartesian')
    rig.go(GOAL)
    assert run(rig.controller.keep_clear()) == ''
    assert rig.controller.motion.duration < math.inf


@moving
def test_a_moving_arm_goes_on_while_the_next_motion_is_checked(motion):
    rig = Guarded(motion, speed=0.3)
    rig.go(GOAL)
    rig.advance(0.3)
    before = rig.q
    outcome = rig.go(near(y=0.1))
    assert rig.q == pytest.approx(before, abs=1e-9)
    rig.advance(outcome.duration + 0.1)
    assert CHAIN.forward(rig.q) == pytest.approx(near(y=0.1).pose, abs=1e-5)


def test_coal_is_looked_for_with_the_shapes_and_not_in_the_first_solve(monkeypatch, tmp_path):
    trimesh.creation.annulus(0.1, 0.2, 0.1).export(tmp_path / 'ring.stl')
    looked = []
    monkeypatch.setattr('ik_node.collision.mesh_distance.coal', lambda: looked.append(1))
    rig = Guarded()
    assert looked == []
    rig.show(Obstacle(Mesh(str(tmp_path / 'ring.stl')), pose_from_rpy((2.0, 0.0, 0.0), (0, 0, 0))))
    assert looked
