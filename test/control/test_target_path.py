import numpy as np
import pytest
import yaml

import robots
from harness.figure_values import values
from ik_node.control.building import NOTHING, Source, build_robot, build_tree
from ik_node.control.group import TaskGoal
from ik_node.control.target_path import TargetPath

FILE = robots.OWN.parent / 'config/humanoid.yaml'


def configured():
    """Return the figure of the humanoid's own parameters."""
    given = yaml.safe_load(FILE.read_text())['/**']['ros__parameters']
    changed = {f'{task}__{name}': np.array(value) if isinstance(value, list) else value
               for task in given['tasks'] for name, value in given.pop(task).items()}
    source = Source(values(**{**given, **changed, 'tasks': tuple(given['tasks']),
                              'root_pose': np.array(given['root_pose'])}), None)
    return build_robot(source, build_tree(source), ('',), NOTHING).groups['']


def test_hands_and_gaze_go_round_and_can_be_met_all_along():
    figure = configured()
    path = TargetPath.of(figure)
    assert path.names == ('left', 'right', 'look')
    start, end = path.targets(0.0), path.targets(1.0)
    q = figure.start
    for name, target in start.items():
        assert np.allclose(target, figure.tasks[name].target)
        assert np.allclose(target, end[name])
    feet = {name: np.array(figure.tasks[name].target) for name in ('left_foot', 'right_foot')}
    for phase in np.linspace(0.0, 1.0, 9):
        result = figure.solve([TaskGoal(name, target)
                               for name, target in path.targets(phase).items()], q)
        assert result.success, (phase, result)
        q = result.q
        frames = figure.body.forward(q)
        assert frames['left_sole'] == pytest.approx(feet['left_foot'], abs=2e-6)
        assert frames['right_sole'] == pytest.approx(feet['right_foot'], abs=2e-6)
        assert abs(frames['left_sole'][2, 3]) < 1e-6  # on the ground


def test_a_goal_in_reach_of_a_hand_is_met_with_the_torso_upright():
    figure, rng, tilts = configured(), np.random.default_rng(0), []
    body = figure.body
    arm = [k for k, name in enumerate(body.joint_names)
           if name.startswith(('right_shoulder', 'right_elbow', 'right_wrist'))]
    for _ in range(robots.samples(50)):
        q = figure.start.copy()
        q[arm] = body.lower[arm] + rng.uniform(0.1, 0.9, len(arm)) * np.ptp(
            [body.lower[arm], body.upper[arm]], axis=0)
        result = figure.solve([TaskGoal('right', body.forward(q)['right_palm'])], figure.start)
        assert result.success
        tilts.append(np.degrees(np.arccos(body.forward(result.q)['chest'][2, 2])))
    assert np.median(tilts) < 5.0
