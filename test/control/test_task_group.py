"""Figures built from parameters: their tasks, what is refused, and what a change keeps."""

from concurrent.futures import ThreadPoolExecutor, TimeoutError

import numpy as np
import pytest

from harness.figure_values import built, values
from harness.goal_runs import controller, run
from ik_node import StopReason, tasks
from ik_node.control.building import NOTHING, Source, build_robot, build_tree
from ik_node.control.group import TaskGoal
from ik_node.control.options import ArmOptions, NodeOptions
from ik_node.control.task_options import TYPES, TaskOptions, fields, make_task
from ik_node.support.exceptions import IkError, OptionError

POSITION = {'tasks': ('a',), 'a__type': 'position', 'a__link': 'gaze'}
COMPLETE = {
    'pose': {'link': 'gaze', 'target': np.array([1.0, 0.0, 1.5, 0.0, 0.0, 0.5])},
    'position': {'link': 'gaze', 'target': np.array([1.0, 0.0, 1.5]), 'point': np.ones(3)},
    'orientation': {'link': 'gaze', 'target': np.array([0.0, 0.0, 0.0, 2.0])},
    'relative_pose': {'link': 'left_palm', 'reference': 'right_palm', 'target': np.zeros(6)},
    'look_at': {'link': 'gaze', 'axis': np.array([1.0, 0.0, 0.0]), 'target': np.ones(3)},
    'align_axis': {'link': 'gaze', 'axis': np.ones(3), 'direction': np.ones(3)},
    'point_on_line': {'link': 'gaze', 'point': np.zeros(3), 'origin': np.zeros(3),
                      'direction': np.ones(3)},
    'point_on_plane': {'link': 'gaze', 'point': np.zeros(3), 'origin': np.zeros(3),
                       'normal': np.ones(3)},
    'half_space': {'link': 'gaze', 'point': np.zeros(3), 'origin': np.zeros(3),
                   'normal': np.ones(3)},
    'center_of_mass': {'target': np.zeros(2), 'polygon': np.array([0.0, 0, 1, 0, 0, 1])},
    'posture': {'q': np.zeros(32), 'gains': np.ones(32)},
    'distance': {'link_a': 'left_palm', 'link_b': 'right_palm', 'lower': 0.1, 'upper': 0.5,
                 'point_a': np.ones(3)},
    'spring': {'link_a': 'left_palm', 'stiffness': 10.0, 'rest_length': 0.1,
               'point_b': np.ones(3)},
    'force': {'link': 'gaze', 'force': np.ones(3)}}


def figure(present=NOTHING, **changed):
    return built(present, **changed).robot.groups['']


@pytest.mark.parametrize('kind', TYPES)
def test_every_type_of_task_takes_its_fields(kind):
    task = make_task('a', TaskOptions(type=kind, weight=0.5, priority=2, **COMPLETE[kind]))
    assert type(task) is TYPES[kind]
    assert (task.name, task.weight, task.priority) == ('a', 0.5, 2)
    for field, value in COMPLETE[kind].items():
        if field not in ('target', 'polygon', 'axis', 'direction', 'normal'):
            assert np.array_equal(getattr(task, field), value), field


def test_every_type_of_task_is_there():
    public = {getattr(tasks, name) for name in tasks.__all__} - {tasks.Task, tasks.CustomTask}
    assert set(TYPES.values()) == public


@pytest.mark.parametrize('kind', TYPES)
def test_a_missing_field_is_named_and_so_is_one_too_many(kind):
    for field, needed in fields(kind).items():
        if needed:
            rest = {name: value for name, value in COMPLETE[kind].items() if name != field}
            with pytest.raises(OptionError, match=rf'a\.{field} must be set: a task of the type'):
                make_task('a', TaskOptions(type=kind, **rest))
    other = 'stiffness' if kind != 'spring' else 'reference'
    with pytest.raises(OptionError, match=rf'a\.{other} must be unset'):
        make_task('a', TaskOptions(type=kind, **COMPLETE[kind],
                                   **{other: 1.0 if other == 'stiffness' else 'gaze'}))


def test_targets_are_xyz_and_rpy_or_a_quaternion():
    half = np.sqrt(0.5)
    by_angles = make_task('a', TaskOptions(type='pose', link='gaze', target=np.array(
        [1.0, 2.0, 3.0, 0.0, 0.0, np.pi / 2])))
    by_quaternion = make_task('a', TaskOptions(type='pose', link='gaze', target=np.array(
        [1.0, 2.0, 3.0, 0.0, 0.0, 2 * half, 2 * half])))
    assert by_angles.target == pytest.approx(by_quaternion.target, abs=1e-15)
    assert by_angles.target[:3] @ [1.0, 0.0, 0.0, 1.0] == pytest.approx([1.0, 3.0, 3.0])
    mass = make_task('a', TaskOptions(type='center_of_mass', target=np.array([0.1, 0.2])))
    assert mass.target == pytest.approx([0.1, 0.2, np.nan], nan_ok=True)


@pytest.mark.parametrize(('changed', 'reason'), [
    ({'tasks': ('a',), 'solver': 'dls'}, "solver must be one of .*'hierarchy'.* with tasks"),
    ({'root': 'planar', 'solver': 'dls', 'tip_link': 'gaze'}, 'root must be fixed with'),
    ({**POSITION, 'motion': 'cartesian'}, 'motion cartesian moves one tip'),
    ({**POSITION, 'a__link': 'nose'}, "'a': .*'nose'"),
    ({**POSITION, 'a__target': np.zeros(2)}, r'a\.target must have 3 entries, x y z, not 2'),
    ({'tasks': ('a',), 'a__type': 'center_of_mass', 'a__polygon': np.zeros(7)},
     'a.polygon must have an even number'),
    ({**POSITION, 'root': 'planar', 'root_pose': np.eye(6)[2]}, 'root_pose must be x y 0 0 0 yaw'),
    ({**POSITION, 'start_pose': np.zeros(3)}, 'start_pose must have 32 entries'),
    ({**POSITION, 'start_pose': np.full(32, 9.0)}, 'start_pose: 9 is outside the limits'),
    ({}, 'name the tip link'),
    ({'tip_link': 'gaze', 'task_weights': 'some'}, "task_weights must be six numbers or 'auto'")])
def test_values_that_do_not_fit_together_are_refused(changed, reason):
    with pytest.raises(IkError, match=reason):
        built(**changed)


def test_arms_and_tasks_are_refused_together():
    arm = {f'left.{name}': value for name, value in ArmOptions.defaults().items()}
    source = Source({**values(**POSITION), **arm}, None)
    with pytest.raises(OptionError, match='tasks and arms cannot be used together'):
        build_robot(source, build_tree(source), ('left',))
    source = Source({**values(), **arm, 'left.solver': 'hierarchy', 'left.tip_link': 'gaze'}, None)
    with pytest.raises(OptionError, match=r'left\.solver must be a solver of one arm'):
        build_robot(source, build_tree(source), ('left',))


def test_a_target_that_is_not_set_is_where_the_link_is():
    robot = built(**POSITION, root='floating', root_pose=np.array([1.0, 2, 3, 0, 0, 0])).robot
    there = robot.groups[''].body.forward(robot.groups[''].start)['gaze'][:3, 3]
    assert robot.groups[''].tasks['a'].target == pytest.approx(there)
    assert robot.T_world_root[:3, 3] == pytest.approx([1.0, 2.0, 3.0])


@pytest.mark.parametrize(('root', 'pose'), [('planar', [1.0, 2.0, 0.0, 0.0, 0.0, 0.7]),
                                        ('floating', [1.0, 2.0, 3.0, 0.1, -0.2, 0.7])])
def test_a_moving_root_starts_at_root_pose(root, pose):
    robot = built(**POSITION, root=root, root_pose=np.array(pose)).robot
    T = robot.groups[''].body.forward(robot.groups[''].start)['pelvis']
    assert robot.T_world_root == pytest.approx(T, abs=1e-12)
    assert T == pytest.approx(NodeOptions(root_pose=np.array(pose)).T_world_root, abs=1e-12)


def test_a_change_keeps_what_it_does_not_concern():
    two = {**POSITION, 'tasks': ('a', 'b'), 'b__type': 'pose', 'b__link': 'left_palm'}
    first = built(**two)
    task = first.robot.groups[''].tasks['a']
    task.target = moved = np.array([1.0, 0.0, 1.5])
    assert built(first, **two).robot is first.robot
    second = figure(first, **two, b__weight=0.5)
    assert second is not first.robot.groups['']
    assert second.tasks['a'] is task  # unchanged
    assert second.body is first.robot.groups[''].body
    third = figure(first, **two, a__weight=0.5)
    assert third.tasks['a'] is not task
    assert np.array_equal(third.tasks['a'].target, moved)
    other = figure(first, **{**two, 'a__link': 'right_palm'})
    assert not np.array_equal(other.tasks['a'].target, moved)
    assert figure(first, **two, speed=0.5).solver is first.robot.groups[''].solver
    assert figure(first, **two, hierarchy__max_restarts=2).solver.options.max_restarts == 2
    assert figure(first, **two, solver='lagrange').tasks['a'] is task


def test_a_solver_of_arms_and_figures_solves_for_the_figure_with_tasks_or_a_moving_root():
    tip = {'tip_link': 'gaze', 'solver': 'genetic', 'genetic__population': 7}
    assert built(**tip).robot.groups[''].chain is not None
    assert built(**tip).robot.groups[''].solver.options.population == 7
    assert built(**tip, root='floating').robot.groups[''].solver.options.population == 7
    assert figure(**{**POSITION, 'solver': 'optimization', 'optimization__minimizer':
                     'l-bfgs-b'}).solver.options.minimizer == 'l-bfgs-b'
    with pytest.raises(OptionError, match=r'optimization\.terms\[0\] must be one of'):
        built(**POSITION, solver='optimization', optimization__terms=('manipulability',))


def test_a_task_without_a_type_waits_for_it():
    waiting = figure(tasks=('a',))
    assert (waiting.undefined, waiting.tasks) == (('a',), {})
    assert waiting.solver.solve().success


def goal(name, target):
    return TaskGoal(name, np.asarray(target))


def test_targets_of_a_goal_are_not_set_while_the_solver_solves_for_another():
    robot = built(tasks=('a',), a__type='position', a__link='left_palm').robot
    figure, (name, there) = robot.groups[''], ('a', np.array([0.2, 0.2, 0.2]))
    of_solver, = figure.solver.tasks
    before = of_solver.target
    with ThreadPoolExecutor(1) as pool:
        with figure.solver.lock:
            later = pool.submit(figure.solve, [goal(name, there)], figure.start)
            with pytest.raises(TimeoutError):
                later.result(0.05)
            assert of_solver.target is before
        assert later.result(10.0).q.shape == figure.start.shape
    assert np.array_equal(of_solver.target, there)


def test_of_goals_that_are_not_met_all_former_targets_stand():
    robot = built(tasks=('a', 'b'), a__type='position', a__link='left_palm', b__type='position',
                  b__link='right_palm').robot
    figure = robot.groups['']
    before = {name: task.target for name, task in figure.tasks.items()}
    q = robot.joint_configuration(figure)
    outcome = run(controller(robot).go([goal('a', [0.2, 0.2, 0.2]), goal('b', [9.0, 0.0, 0.0])]))
    assert not outcome.accepted
    assert outcome.result.reason is StopReason.UNREACHABLE
    assert all(np.array_equal(figure.tasks[name].target, target) for name, target in before.items())
    assert np.array_equal(robot.joint_configuration(figure), q)
