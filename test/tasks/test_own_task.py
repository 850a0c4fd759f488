import re
from pathlib import Path

import numpy as np
import pytest

import task_bodies
from ik_node import make_body_solver
from ik_node.control import task_options
from ik_node.model.body import BodyFrames
from ik_node.support.exceptions import InputError
from ik_node.tasks.base import POINT
from ik_node.tasks.drawing import DrawnTarget, Polyline

PAGE = Path(__file__).parents[2] / 'docs/adding_a_task.md'


@pytest.fixture(scope='module')
def near_point():
    code, = re.findall(r'```python\n(.*?)```', PAGE.read_text(), re.DOTALL)
    defined = {'__name__': 'near_point'}
    exec(compile(code, PAGE.name, 'exec', dont_inherit=True), defined)
    return defined['NearPoint']


@pytest.fixture
def body():
    return task_bodies.figure('floating')


def test_its_jacobian_is_the_derivative_of_its_residual(near_point, body):
    task = near_point('hand', 0.2, (0.5, 0.1, 0.9), (0.05, 0.0, 0.02))
    q = np.random.default_rng(0).uniform(*task_bodies.bounds(body))
    steps = 1e-6 * np.eye(body.n_joints)
    differences = [(task.residual(body, q + step) - task.residual(body, q - step)) / 2e-6
                   for step in steps]
    assert task.jacobian(body, q) == pytest.approx(np.transpose(differences), abs=1e-8)


def test_a_body_solver_meets_it_beside_others(near_point, body):
    task = near_point('hand', 0.1, (0.6, -0.2, 0.4))
    result = make_body_solver('least_squares', body, [task]).solve()
    assert result.success
    away = body.forward(result.q)['hand'][:3, 3] - task.target
    assert np.linalg.norm(away) <= 0.1 + 1e-6
    with pytest.raises(InputError, match='upper of the task'):
        task.upper = -1.0


def test_goals_move_it_and_it_is_drawn(near_point, body):
    task, T = near_point('hand', 0.1, (0.6, -0.2, 0.4)), np.eye(4)
    T[:3, 3] = 0.1, 0.2, 0.3
    assert task.target_kind == POINT
    task.target = task.target_from(T, True)
    frames = BodyFrames(body, body.neutral())
    target, line = task.drawing(frames, 1.0)
    assert isinstance(target, DrawnTarget)
    assert isinstance(line, Polyline)
    assert target.pose[:3, 3] == pytest.approx([0.1, 0.2, 0.3])
    assert line.points == [pytest.approx(task.target_in(frames)), pytest.approx([0.1, 0.2, 0.3])]


def test_it_is_made_of_parameters(near_point, monkeypatch):
    monkeypatch.setitem(task_options.TYPES, 'near_point', near_point)
    options = task_options.TaskOptions(type='near_point', link='hand', upper=0.1,
                                       target=np.array([1.0, 2.0, 3.0]))
    task = task_options.make_task('near', options)
    assert (task.name, task.link, task.upper) == ('near', 'hand', 0.1)
    assert task.target == pytest.approx([1.0, 2.0, 3.0])
