"""Parameters of a running node: declared with text and range, checked together, then applied."""

import inspect
import math
import re

import numpy as np
import pytest

import robots
from harness.node_here import running
from harness.ros_harness import pose
from ik_node import solver_names
from ik_node.control import building
from ik_node.control.options import (
    ArmOptions,
    CollisionOptions,
    ModelOptions,
    NodeOptions,
    StartOptions,
)
from ik_node.solvers.registry import solver_class
from ik_node.support.exceptions import ModelError

PLANAR = robots.OWN / 'planar_3r.urdf'
IN_PLANE = [1.0, 1.0, 0.0, 0.0, 0.0, 1.0]
TABLES = [(StartOptions, ''), (ModelOptions, ''), (NodeOptions, ''), (ArmOptions, ''),
          *((options, f'{name}.') for name in solver_names()
            for options in (solver_class(name).Options, CollisionOptions))]


@pytest.fixture(scope='module')
def node():
    with running(urdf_path=PLANAR) as running_node:
        yield running_node


@pytest.fixture(scope='module')
def chain():
    return robots.chain('planar_3r')


def test_every_option_is_a_parameter_with_its_text_and_range(node):
    for options, prefix in TABLES:
        specs = options.specs()
        descriptors = node.describe(*(prefix + name for name in specs))
        for (name, spec), descriptor in zip(specs.items(), descriptors):
            assert descriptor.name == prefix + name
            assert descriptor.description.startswith(spec.text)
            assert descriptor.description.endswith(f'[{spec.unit}]') == bool(spec.unit)
            ranges = [*descriptor.floating_point_range, *descriptor.integer_range]
            if spec.kind in (int, float) and not spec.listed and np.isfinite(spec.low):
                assert (ranges[0].from_value, ranges[0].step) == (spec.low, 0)
            if spec.choices:
                assert descriptor.additional_constraints == f'one of {", ".join(spec.choices)}'


def test_defaults_are_the_same_as_in_python(node):
    for name in solver_names():
        defaults = solver_class(name).Options.defaults()
        values = node.get(*(f'{name}.{option}' for option in defaults))
        for value, default in zip(values, defaults.values()):
            assert value == ('none' if default is None else default)


@pytest.mark.parametrize('solver', [name for name in solver_names() if name != 'example'])
def test_the_solver_can_be_changed_while_the_node_runs(node, chain, solver):
    assert node.set(solver=solver) == (True, '')
    answer = node.client.send(chain.forward([0.5, 0.8, -0.4]), timeout=90.0)
    assert answer.values['solver'] == ('auto (dls)' if solver == 'auto' else solver)
    # The last digits are not what transpose and ccd are for.
    assert answer.met or float(answer.values['position_error']) < 1e-2
    assert node.set(solver='dls') == (True, '')  # whose options others are about


def test_a_solver_that_needs_a_file_is_refused_without_it_and_reads_another_one(
        node, chain, tmp_path):
    before = node.get('solver')
    successful, reason = node.set(solver='example')
    assert not successful
    assert 'solver: example needs the option examples' in reason
    assert node.get('solver') == before
    files = []
    for k, q in enumerate(([0.5, 0.8, -0.4], [-0.5, 0.9, -0.2])):
        files.append(tmp_path / f'{k}.csv')
        files[k].write_text(f'{",".join(chain.joint_names)}\n{",".join(map(str, q))}\n')
    assert node.set(example__examples=str(files[0])) == (True, '')
    assert node.set(solver='example', example__model='nearest') == (True, '')
    goal = chain.forward([0.5, 0.8, -0.4])
    solver = node.client.send(goal).values['solver']
    distances = re.fullmatch(r'example \(nearest, (\S+) m and (\S+) rad from the nearest example\)',
                             solver)
    assert distances is not None, solver
    assert max(map(float, distances.groups())) < 1e-12
    successful, reason = node.set(example__examples='missing.csv')
    assert not successful
    assert "cannot read the examples 'missing.csv'" in reason
    assert node.set(example__examples=str(files[1])) == (True, '')
    answer = node.client.send(goal)
    assert answer.met
    assert 'nearest, 0 m and 0 rad' not in answer.values['solver']
    assert node.set(solver='dls', example__examples='none') == (True, '')


def test_an_option_of_the_solver_takes_effect_at_once_and_none_takes_it_back(node, chain):
    goal = chain.forward([2.5, -0.8, 0.4])
    assert node.set(solver='dls', dls__max_iterations=1, dls__max_restarts=0) == (True, '')
    values = node.client.send(goal).values
    assert (values['reason'], values['iterations']) == ('ITERATIONS', '1')
    assert node.set(dls__max_iterations=100, dls__max_restarts=100, dls__damping=5) == (True, '')
    damped = node.client.send(goal)
    assert damped.met
    assert node.set(dls__damping='none', dls__joint_weights=[1, 2, 3]) == (True, '')
    assert node.get('dls.damping') == 'none'
    assert node.set(dls__joint_weights='none') == (True, '')
    assert node.client.send(chain.forward([-0.5, 0.9, -0.2])).met
    assert int(node.client.send(goal).values['iterations']) < int(damped.values['iterations'])


def excluded(spec):
    """Return values that a spec excludes, as parameters."""
    if spec.kind is bool:
        values = ['maybe', '1', 2]
    elif spec.kind is str:
        values = ['of no choice'] if spec.choices else []
    else:
        bounds = [spec.low - 1.0] * math.isfinite(spec.low) + [spec.low] * spec.positive
        values = [*map(spec.kind, bounds), float('nan'), *[1.5] * (spec.kind is int),
                  *['small', '1_0', 'nan'] * (not spec.named)]
    return [[value] * (spec.length or 1) for value in values] if spec.listed else values


@pytest.mark.parametrize(('options', 'prefix'), TABLES, ids=[
    f'{options.__module__.rpartition(".")[2]}-{prefix}' for options, prefix in TABLES])
def test_what_the_spec_of_a_parameter_excludes_is_refused_and_the_old_value_stands(
        node, options, prefix):
    for name, spec in options.specs().items():
        before = node.get(prefix + name)
        for value in excluded(spec):
            successful, reason = node.set(**{prefix + name: value})
            assert (successful, bool(reason)) == (False, True), (prefix + name, value)
            assert node.get(prefix + name) == before


BAD = [
    ({'solver': 'lm'}, "solver must be one of 'analytic', 'auto', .*, not 'lm'"),
    ({'dls__position_tolerance': 0.0}, 'dls.position_tolerance must be a number above 0'),
    ({'dls__position_tolerance': -1.0}, 'range'),
    ({'dls__joint_weights': [1.0, 2.0]}, 'must have 3 entries, one for each joint, not 2'),
    ({'task_weights': [1.0, 1.0]}, 'task_weights must have 6 entries, not 2'),
    ({'task_weights': [0.0] * 6}, 'task_weights must have an entry above zero'),
    ({'task_weights': [1.0, 1.0, 0.0, 0.0, 0.0, -1.0]},
     r'task_weights\[5\] must be a number of at least 0, not -1.0'),
    ({'task_weights': '1e-3'}, 'six numbers'), ({'velocity_limits': '[1, fast]'}, 'a number'),
    ({'tip_link': 'hand'}, "tip_link: there is no tip link 'hand'; .*'tip'"),
    ({'base_link': 'tip'}, 'base_link: no joint moves'),
    ({'robot_description': '<robot name="r"><link></robot>'}, 'robot_description: .* not XML'),
    ({'start_pose': [0.0]}, 'start_pose must have 3 entries'),
    ({'arms': ['left']}, 'read-only')]


@pytest.mark.parametrize(('values', 'words'), BAD, ids=[f'{bad[0]}' for bad in BAD])
def test_values_that_do_not_fit_are_refused_with_the_reason(node, chain, values, words):
    name = next(iter(values)).replace('__', '.')
    before = node.get(name)
    successful, reason = node.set(**values)
    assert not successful
    assert re.search(words, reason, re.IGNORECASE), reason
    assert node.get(name) == before
    assert node.client.send(chain.forward([0.5, 0.8, -0.4])).met
    assert node.alive()


def test_one_bad_value_refuses_all_that_were_set_with_it(node):
    successful, _ = node.set(dls__max_step=0.5, dls__damping=-2.0)
    assert not successful
    assert node.get('dls.max_step') == 1.0


def test_invalid_values_at_the_start_are_logged_and_replaced_by_the_defaults():
    with running(urdf_path=PLANAR, dls__max_step='wide', dls__max_iterations=-3, solver='lm',
                 publish_rate=25, start_pose='[0.1, 0.2, 0.3]') as node:
        assert node.get('dls.max_step', 'dls.max_iterations', 'solver', 'publish_rate') == [
            1.0, 100, 'dls', 25]
        for words in ("dls.max_step must be a number above 0", 'dls.max_iterations',
                      "solver must be one of 'analytic'"):
            assert words in node.log()
        assert list(node.values().values()) == pytest.approx([0.1, 0.2, 0.3])
        assert node.client.send(pose(20.0, 5.0)).met
        assert node.alive()


@pytest.mark.parametrize(('name', 'text', 'value'), [
    ('dls.position_tolerance', '1e-8', 1e-8), ('dls.position_tolerance', ' 2E-7 ', 2e-7),
    ('dls.max_iterations', '1e2', 100), ('dls.max_iterations', '70', 70),
    ('dls.max_iterations', 80.0, 80), ('dls.damping', '1e-3', 1e-3),
    ('dls.damping', 'none', 'none'),
    ('publish_solutions', 'true', True), ('publish_solutions', ' False', False),
    ('task_weights', ['1e0', '1', '0', '0', '0', '1e-1'], [1.0, 1.0, 0.0, 0.0, 0.0, 0.1]),
    ('task_weights', '[1e0, 1, 0, 0, 0, 1]', IN_PLANE), ('task_weights', 'auto', 'auto'),
    ('velocity_limits', '5e-1', 0.5), ('velocity_limits', '[5e-1, 1, 2.0]', [0.5, 1.0, 2.0])])
def test_numbers_that_yaml_reads_as_text_are_numbers(node, name, text, value):
    before = node.get(name)
    assert node.set(**{name: text}) == (True, '')
    assert node.get(name) == value
    assert type(node.get(name)) is type(value)
    assert node.set(**{name: before}) == (True, '')


def test_numbers_may_come_as_text_at_the_start(tmp_path):
    file = tmp_path / 'parameters.yaml'
    file.write_text('ik_node:\n  ros__parameters:\n    dls:\n      position_tolerance: "1e-8"\n'
                    '      max_iterations: "1e2"\n      max_restarts: "many"\n'
                    '    publish_solutions: "true"\n    autostart: "true"\n'
                    '    task_weights: ["1e0", "1", "0", "0", "0", "1"]\n')
    with running('--params-file', str(file), urdf_path=PLANAR) as node:
        assert node.get('dls.position_tolerance', 'dls.max_iterations', 'publish_solutions',
                        'autostart', 'task_weights') == [1e-8, 100, True, True, IN_PLANE]
        assert "dls.max_restarts must be a whole number" in node.log()
        assert not node.set(autostart=False)[0]
        assert not node.set(dls__max_iterations='some')[0]
        assert node.get('dls.max_restarts') == solver_class('dls').Options.defaults()[
            'max_restarts']
        assert node.client.send(pose(20.0, 5.0)).met


@pytest.mark.parametrize(('options', 'change'), [
    ({}, {'solver': 'ccd'}), ({'solver': 'hierarchy'}, {'tasks': ['left', 'right']})])
def test_the_robot_of_a_change_is_built_in_the_worker_once_and_stands_where_the_last_one_does(
        monkeypatch, options, change):
    built, build = [], building.build

    def recording(*arguments):
        built.append(any(frame.function == '_search_in_thread' for frame in inspect.stack()))
        result = build(*arguments)
        if len(built) == 1:  # while it is built, the robot moves on
            node.subject._configuration.robot.place({'joint_1': 0.25})
        made.append(result.robot)
        return result
    made = []
    with running(urdf_path=PLANAR, **options) as node:
        monkeypatch.setattr('ik_node.ros.configuration.build', recording)
        assert node.set(**change) == (True, '')
        assert built[0]
        assert all(robot is node.subject._configuration.robot for robot in made)
        assert node.joint_states()[0].position[0] == 0.25
        built.clear()
        successful, reason = node.set(urdf_path='/nowhere.urdf')
        assert not successful
        assert 'urdf_path: cannot read' in reason
        assert f'parameter refused: {reason}' in node.log()
        assert len(built) == 1
        monkeypatch.setattr('ik_node.ros.configuration.build', lambda *_: {}['missing'])
        assert node.set(dls__max_iterations=77) == (False, "internal error: KeyError: 'missing'")


def test_new_tasks_leave_no_parameters_where_their_robot_cannot_be_built(monkeypatch):
    with running(urdf_path=PLANAR, solver='hierarchy') as node:
        def build(*arguments):
            raise ModelError('no robot')
        with monkeypatch.context() as context:
            context.setattr('ik_node.ros.configuration.build', build)
            assert node.set(tasks=['left'])[0] is False
        assert not node.subject.has_parameter('left.type')
        assert node.set(start_pose=[1.0], tasks=['left'])[0] is False
        assert not node.subject.has_parameter('left.type')
        assert node.set(solver='none', tasks=['left'])[0] is False
        assert not node.subject.has_parameter('left.type')
        assert node.set(hierarchy__max_iterations=-1, tasks=['left'])[0] is False
        assert not node.subject.has_parameter('left.type')
        assert node.set(tasks=['left']) == (True, '')
        assert node.subject.has_parameter('left.type')
