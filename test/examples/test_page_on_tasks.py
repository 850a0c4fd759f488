import re
from pathlib import Path

import numpy as np
import pytest
import yaml

from harness.goal_runs import run
from ik_node import KinematicTree
from ik_node.control.controller import Controller
from ik_node.control.group import TaskGoal
from ik_node.control.group_source import GroupSource
from ik_node.control.options import ArmOptions, ModelOptions, NodeOptions
from ik_node.control.robot import Robot
from ik_node.control.task_group import TaskGroup
from ik_node.control.task_options import TaskOptions
from ik_node.solvers.registry import body_solver_names
from ik_node.spatial import pose_from_rpy
from ik_node.spatial.rotations import as_rotation

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / 'docs/tasks.md').read_text(encoding='utf-8')
(PROGRAM,) = re.findall(r'^```python\n(.*?)^```', PAGE, re.DOTALL | re.MULTILINE)
(PARAMETERS,) = re.findall(r'^```yaml\n(.*?)^```', PAGE, re.DOTALL | re.MULTILINE)
GOALS = re.findall(r"topic pub --once /(\w+)/(\w+) geometry_msgs/(\w+) (?:\\\s+)?'(.*?)'", PAGE)


def test_the_program_runs_and_its_tasks_are_met():
    names = {}
    exec(compile(PROGRAM, 'tasks.md', 'exec'), names)
    body, result = names['body'], names['result']
    assert result.success
    assert result.errors['position_left_palm'][0] <= 1e-6
    at = body.forward(result.q)
    assert at['left_palm'][:3, 3] == pytest.approx(names['left'].target, abs=2e-6)
    for sole in ('left_sole', 'right_sole'):
        assert at[sole] == pytest.approx(names['frames'][sole], abs=2e-6)
    assert names['velocity'].shape == (body.n_joints,)


@pytest.fixture
def humanoid():
    """The figure that the node makes of the parameters, with its robot and controller."""
    values = yaml.safe_load(PARAMETERS)['ik_node']['ros__parameters']
    tasks = {name: TaskOptions.read(values.pop(name)) for name in values.pop('tasks')}
    known = {**ModelOptions.specs(), **ArmOptions.specs(), **NodeOptions.specs()}
    assert values.keys() <= known.keys()
    assert values['on_failure'] == 'hold'
    tree = KinematicTree.from_urdf(ROOT / values['model_path'])
    place = values['root_pose']
    figure = TaskGroup(GroupSource(
        tree, ArmOptions.read({'solver': values['solver']}), {}, tasks, values['root'],
        pose_from_rpy(place[:3], place[3:])))
    robot = Robot(tree, {'': figure})
    return figure, robot, Controller(robot, figure, lambda: 0.0, None)


def test_the_goals_are_met_while_the_feet_hold_and_the_balance_is_kept(humanoid):
    figure, robot, controller = humanoid
    start = figure.body.forward(robot.joint_configuration(figure))
    assert [name for name, *_ in GOALS] == ['left', 'right', 'look']
    targets = {}
    for name, topic, kind, text in GOALS:
        message = yaml.safe_load(text)
        assert topic == {'PoseStamped': 'goal_pose', 'PointStamped': 'goal_point'}[kind]
        if kind == 'PoseStamped':
            place, turn = message['pose']['position'], message['pose']['orientation']
            target = np.eye(4)
            target[:3, :3] = as_rotation([turn.get(axis, 0.0) for axis in 'xyzw'], 'orientation')
            target[:3, 3] = [place[axis] for axis in 'xyz']
        else:
            target = np.array([message['point'][axis] for axis in 'xyz'])
        targets[name] = target
        outcome = run(controller.go([TaskGoal(name, target)]))
        assert outcome.accepted
        assert outcome.result.success

    q = robot.joint_configuration(figure)
    at, center = figure.body.forward(q), figure.body.center_of_mass(q)
    assert at['left_palm'] == pytest.approx(targets['left'], abs=2e-6)
    assert at['right_palm'][:3, 3] == pytest.approx(targets['right'], abs=2e-6)
    for sole in ('left_sole', 'right_sole'):
        assert at[sole] == pytest.approx(start[sole], abs=2e-6)
        assert at[sole][2, 3] == pytest.approx(0.0, abs=2e-6)
    ray = targets['look'] - at['gaze'][:3, 3]
    assert at['gaze'][:3, 0] == pytest.approx(ray / np.linalg.norm(ray), abs=2e-6)
    corners = figure.tasks['balance'].polygon
    assert (center[:2] >= corners.min(axis=0) - 2e-6).all()
    assert (center[:2] <= corners.max(axis=0) + 2e-6).all()


def test_every_body_solver_has_a_page_and_both_indices_and_the_page_on_tasks_name_it():
    for name in body_solver_names():
        page = (ROOT / f'docs/solvers/{name}.md').read_text(encoding='utf-8')
        for words in ('## Options', '## When', '## Limits of the method', '## Sources'):
            assert words in page, name
        assert f'(solvers/{name}.md)' in PAGE
        assert f'(solvers/{name}.md)' in (ROOT / 'docs/README.md').read_text(encoding='utf-8')
        assert f'({name}.md)' in (ROOT / 'docs/solvers/README.md').read_text(encoding='utf-8')


def test_the_page_names_the_examples_of_tasks():
    for name in re.findall(r'\]\(\.\./examples/(\w+\.py)\)', PAGE):
        assert 'make_body_solver' in (ROOT / 'examples' / name).read_text(encoding='utf-8')
