"""Joint values of the past: commanded ones, and those that are measured by their stamps."""

import pytest

from ik_node.control.arm import Arm
from ik_node.control.group_source import GroupSource
from ik_node.control.options import ArmOptions
from ik_node.control.robot import Robot
from ik_node.ros.execution.execution import SPAN, History
from ik_node.support.exceptions import InputError
from measured_robots import lift_tree

TREE = lift_tree()


@pytest.fixture
def robot():
    return Robot(TREE, {'': Arm(GroupSource(TREE, ArmOptions(base_link='mount', tip_link='tool')))})


@pytest.fixture
def history(robot):
    history = History()
    history.add(robot, 1_000)
    return history


def measure(history, robot, stamp, **values):
    robot.measure({**robot.measured, **values})
    history.measure(values, stamp)


def test_measured_values_are_in_proportion_to_time_also_where_joints_jump(history, robot):
    for k in range(3):
        measure(history, robot, 10_000_000 * (k + 1), lift=0.1 * k, joint_0=0.2 * k)
        history.add(robot, 10_000_000 * (k + 1) + 5_000_000)
    then = history.at(robot, 14_000_000)
    assert (then.present['lift'], then.present['joint_0']) == pytest.approx((0.04, 0.08))
    # Before the first and after the last value they have that one.
    assert history.at(robot, 2_000_000).present['lift'] == 0.0
    assert history.at(robot, 32_000_000).present['lift'] == pytest.approx(0.2)
    assert history.at(robot, 32_000_000).present['joint_0'] == pytest.approx(0.4)
    assert not history.is_past(robot, 36_000_000)


def test_a_stamp_between_the_last_published_state_and_the_last_measurement_is_past(history, robot):
    measure(history, robot, 10_000_000, lift=0.0)
    measure(history, robot, 20_000_000, lift=0.1)
    assert history.is_past(robot, 15_000_000)
    assert history.at(robot, 15_000_000).present['lift'] == pytest.approx(0.05)


def test_a_group_that_has_been_moved_since_is_where_it_was_sent(history, robot):
    measure(history, robot, 10_000_000, joint_0=0.3)
    robot.move(robot.groups[''], robot.groups[''].start + 0.1)
    history.add(robot, 20_000_000)
    history.add(robot, 40_000_000)
    assert history.at(robot, 30_000_000).present['joint_0'] == pytest.approx(0.1)
    assert history.at(robot, 10_000_000).present['joint_0'] == pytest.approx(0.3)


def test_a_continuous_joint_passes_half_a_turn_by_the_shorter_turn(history, robot):
    measure(history, robot, 10_000_000, spin=3.1)
    measure(history, robot, 20_000_000, spin=-3.1)
    assert history.at(robot, 15_000_000).present['spin'] == pytest.approx(3.14159, abs=1e-4)


def test_measurements_are_kept_as_long_as_published_states(history, robot):
    for k in range(20_000):
        history.measure({'lift': 1e-6 * k}, 2_000 + 1_000_000 * k)  # a thousand a second
    kept = history._measured['lift']
    assert len(kept) <= SPAN / 2_000_000 + 2
    assert kept[0].stamp <= kept[-1].stamp - SPAN + 4_000_000
    history.add(robot, 500)  # the clock was set back
    with pytest.raises(InputError, match='not known any more'):
        history.at(robot, 100)
    assert not history.is_past(robot, 1_000_000)
