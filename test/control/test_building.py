"""What a change of parameters builds again, and what it leaves as it is."""

import zipfile

import numpy as np
import pytest

import robots
from ik_node.control import options
from ik_node.control.building import NOTHING, Built, Source, build_robot, build_tree, read_tree
from ik_node.control.group_source import same_value
from ik_node.control.options import (
    SIDE,
    ArmOptions,
    CollisionOptions,
    ModelOptions,
    MotionOptions,
    NodeOptions,
)
from ik_node.solvers.registry import solver_class, solver_names
from ik_node.support.exceptions import IkError, OptionError

TORSO = robots.OWN / 'torso.urdf'
SIDES = ('left', 'right')


def values(**changed):
    """Return the values of all parameters of the torso; __ stands for a dot."""
    every = {**ModelOptions.defaults(), **NodeOptions.defaults(), 'model_path': str(TORSO)}
    for side in SIDES:
        every.update({f'{side}.{name}': value for name, value in ArmOptions.defaults().items()})
        every.update({f'{side}.base_link': 'torso_link', f'{side}.tip_link': f'{side}_tool0'})
    every.update({f'{SIDE}.{name}': value for name, value in MotionOptions.defaults().items()})
    for solver in solver_names():
        every.update({f'{solver}.{name}': value
                      for options in (solver_class(solver).Options, CollisionOptions)
                      for name, value in options.defaults().items()})
    return {**every, **{name.replace('__', '.'): value for name, value in changed.items()}}


def built(present=NOTHING, topic_text=None, **changed):
    source = Source(values(**changed), topic_text)
    return Built(source, build_robot(source, build_tree(source, present), SIDES, present))


@pytest.fixture(scope='module')
def first():
    return built()


@pytest.mark.parametrize('changed', [
    {}, {'on_failure': 'closest'}, {'publish_rate': 5.0}, {'ccd__max_iterations': 3},
    {'state_topic': 'states'}, {'root_pose': np.arange(6.0)}])
def test_what_concerns_no_arm_leaves_the_robot_as_it_is(first, changed):
    assert built(first, **changed).robot is first.robot


def test_an_option_of_one_arm_leaves_the_other_as_it_is(first):
    robot = built(first, left__solver='ccd').robot
    assert robot.tree is first.robot.tree
    assert robot.groups['right'] is first.robot.groups['right']
    assert robot.groups['left'].solver.name == 'ccd'
    assert robot.groups['left'].chain is first.robot.groups['left'].chain


@pytest.mark.parametrize('changed', [
    {'left__speed': 0.5}, {'left__start_pose': np.full(7, 0.1)}, {'left__velocity_limits': 0.3},
    {'left__task_weights': np.array([1.0, 1.0, 1.0, 0.0, 0.0, 0.0])}])
def test_limits_start_and_weights_of_an_arm_leave_its_solver_as_it_is(first, changed):
    arm, before = built(first, **changed).robot.groups['left'], first.robot.groups['left']
    assert arm is not before
    assert arm.solver is before.solver
    assert not same_value(arm.options, before.options)


def test_an_option_of_a_solver_is_given_to_the_arms_that_have_it(first):
    second = built(first, left__solver='ccd')
    third = built(second, left__solver='ccd', dls__max_iterations=7).robot
    assert third.groups['left'] is second.robot.groups['left']
    assert third.groups['right'].solver.options.max_iterations == 7


def test_each_option_of_an_arm_takes_effect_on_the_next_robot(first):
    arm = built(first, left__speed=0.5).robot.groups['left']
    assert arm.limits.velocity == pytest.approx(0.5 * first.robot.groups['left'].limits.velocity)
    for kind, value in (('velocity', 0.3), ('acceleration', np.full(7, 0.1)), ('jerk', 0.5)):
        limits = built(first, **{f'left__{kind}_limits': value}).robot.groups['left'].limits
        assert getattr(limits, kind) == pytest.approx(np.full(7, value))
    weights = np.array([1.0, 1.0, 1.0, 0.0, 0.0, 0.0])
    assert built(first, left__task_weights=weights).robot.groups['left'].weights.tolist() == (
        weights.tolist())
    assert built(first, left__tip_link='left_link_3').robot.groups['left'].chain.n_joints < 7
    assert built(first, motion='cartesian').robot.groups['left'].follower is not None


def test_another_model_builds_everything_again_and_keeps_joint_values_by_name(first):
    name = first.robot.groups['left'].chain.joint_names[0]
    first.robot.place({name: 0.25})
    robot = built(first, model_path='', robot_description=TORSO.read_text()).robot
    assert robot.tree is not first.robot.tree
    assert robot.joint_values()[name] == 0.25
    first.robot.reset()


def test_a_description_by_topic_counts_where_no_parameter_gives_one(first):
    assert build_tree(Source(values(model_path=''), None)) is None
    text = TORSO.read_text()
    source = Source(values(model_path=''), text)
    tree = build_tree(source)
    assert tree.links == first.robot.tree.links
    present = Built(source, build_robot(source, tree, SIDES))
    assert build_tree(source, present) is tree
    assert build_tree(Source(source.values, text + '\n'), present) is not tree


def test_invalid_values_raise_and_leave_the_present_robot_usable(first):
    with pytest.raises(OptionError, match='task_weights must have an entry above zero'):
        built(first, left__task_weights=np.zeros(6))
    with pytest.raises(IkError, match="'nowhere'"):
        built(first, right__tip_link='nowhere')
    assert built(first).robot is first.robot


def test_limits_of_motion_are_those_of_the_description_unless_parameters_give_them():
    text = TORSO.read_text().replace('<robot ', '<robot version="1.2" ', 1).replace(
        '<limit ', '<limit acceleration="3" deceleration="2.5" jerk="40" ')
    robot = built(model_path='', robot_description=text, left__acceleration_limits=0.7).robot
    assert set(robot.groups['right'].limits.acceleration) == {2.5}
    assert set(robot.groups['right'].limits.jerk) == {40.0}
    assert set(robot.groups['left'].limits.acceleration) == {0.7}
    assert set(robot.groups['left'].limits.jerk) == {40.0}
    assert robot.tree.description == text  # as it is published


SOFT = robots.robot(
    robots.joint('j', 'revolute', 'base', 'l', limit='lower="-1" upper="1" velocity="1"').replace(
        '<limit', '<safety_controller soft_lower_limit="-0.5" soft_upper_limit="0.5"/><limit'))


@pytest.mark.parametrize(('soft_limits', 'upper'), [(True, 0.5), (False, 1.0)])
def test_the_parameter_soft_limits_holds_for_every_source(tmp_path, soft_limits, upper):
    (tmp_path / 'soft.urdf').write_text(SOFT)
    with zipfile.ZipFile(tmp_path / 'soft.zip', 'w') as archive:
        archive.writestr('soft.urdf', SOFT)
    for given in ({'model_path': str(tmp_path / 'soft.urdf')}, {'robot_description': SOFT},
                  {'model_path': str(tmp_path / 'soft.zip')}, {}):
        options = ModelOptions.read({**ModelOptions.defaults(), 'soft_limits': soft_limits,
                                     **given})
        tree = read_tree(options, None if given else SOFT)
        assert tree.chain().upper.tolist() == [upper]


def test_a_change_of_soft_limits_reads_the_robot_again(first):
    assert built(first, soft_limits=False).robot.tree is not first.robot.tree


def test_a_name_as_model_path_stays_a_name_where_no_robots_are_installed(monkeypatch):
    def missing():
        raise FileNotFoundError('the robots of ik_node are not installed')
    assert options.model_path({'model_path': 'arm_6r'}).endswith('arm_6r.urdf')
    monkeypatch.setattr(options, 'own_robots', missing)
    assert options.model_path({'model_path': 'arm_6r'}) == 'arm_6r'
    assert options.model_path({'model_path': '/robots/arm.urdf'}) == '/robots/arm.urdf'
