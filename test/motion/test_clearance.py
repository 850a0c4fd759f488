import numpy as np
import pytest

import robots
from ik_node.collision import Box, CollisionModel, Obstacle
from ik_node.motion.clearance import check_clearance
from ik_node.motion.joint_motion import joint_motion
from ik_node.motion.limits import motion_limits
from ik_node.motion.trajectory import Rest, SplineTrajectory
from ik_node.spatial import pose_from_rpy
from ik_node.support.exceptions import MotionError

pytest.importorskip('ruckig', reason='motion in joint space needs ruckig')

CHAIN = robots.chain('arm_6r')
LIMITS = motion_limits(CHAIN)
BEGIN, END = np.array([[-1.0, 0.6, -1.0, 0.0, -0.5, 0.0], [1.0, 0.6, -1.0, 0.0, -0.5, 0.0]])


def post_in_the_way(size=0.05):
    p = CHAIN.forward(0.5 * (BEGIN + END))[:3, 3]
    return Obstacle(Box((size, size, 3.0)), pose_from_rpy((p[0], p[1], 0.0), (0.0, 0.0, 0.0)),
                    name='post')


def test_a_motion_through_a_post_is_refused_with_the_place_and_the_pair():
    motion = joint_motion(CHAIN, LIMITS, Rest(BEGIN), END)
    model = CollisionModel(CHAIN, [post_in_the_way()], margin=0.01)
    with pytest.raises(MotionError, match="'post' after .* s, .*%") as caught:
        check_clearance(motion, LIMITS, model)
    place = caught.value.part * motion.duration
    assert not model.contacts(motion.at(place - 0.01).position)
    assert model.contacts(motion.at(place + 0.01).position)


def test_a_motion_beside_a_post_is_not():
    model = CollisionModel(CHAIN, [post_in_the_way()])
    check_clearance(joint_motion(CHAIN, LIMITS, Rest(BEGIN), BEGIN - 0.2), LIMITS, model)
    check_clearance(Rest(BEGIN), LIMITS, model)


@pytest.mark.parametrize('speed', [1.0, 0.001])  # limits may have been reduced since it was planned
def test_a_post_that_no_sample_of_the_motion_touches_is_found(speed):
    motion = SplineTrajectory(np.array([0.0, 0.5, 1.0]), np.array([BEGIN, END, BEGIN]), LIMITS)
    with pytest.raises(MotionError, match='post'):
        check_clearance(motion, motion_limits(CHAIN, speed=speed),
                        CollisionModel(CHAIN, [post_in_the_way(1e-4)]))


def test_a_motion_out_of_a_contact_is_free():
    model = CollisionModel(CHAIN, [post_in_the_way()])
    inside = 0.47 * BEGIN + 0.53 * END
    assert not model.is_free(inside)
    check_clearance(joint_motion(CHAIN, LIMITS, Rest(inside), END), LIMITS, model)


@pytest.mark.parametrize('size', [1.0, 1e6])
def test_a_motion_with_a_large_box_on_a_link_is_checked_whatever_its_size(size):
    T = pose_from_rpy((0.5 * size + 0.9, 0.0, 0.0), (0.0, 0.0, 0.0))
    box = Obstacle(Box((size, 0.5, 0.5)), T, CHAIN.links[1], name='box')
    post = Obstacle(Box((0.1, 0.1, 3.0)), pose_from_rpy((1.5, 0.0, 0.0), (0.0, 0.0, 0.0)),
                    name='post')
    motion = joint_motion(CHAIN, LIMITS, Rest(BEGIN), END)
    check_clearance(motion, LIMITS, CollisionModel(CHAIN, [box]))
    with pytest.raises(MotionError, match="'box'.*'post'"):
        check_clearance(motion, LIMITS, CollisionModel(CHAIN, [box, post]))
