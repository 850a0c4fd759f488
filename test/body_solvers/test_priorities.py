"""Strict priorities: what the higher has, the lower does not take."""

import numpy as np
import pytest
from scipy.optimize import minimize

from ik_node import body_solver_names, make_body_solver
from ik_node.tasks import CenterOfMass, Distance, HalfSpace, Pose, Position, Posture
from task_bodies import bounds, figure, hand, two_arms

STRICT = pytest.mark.parametrize('name', ['hierarchy', 'least_squares'])


@STRICT
def test_a_constraint_holds_and_the_conflicting_task_comes_as_near_as_it_can(name):
    # The hand on the line x = 0.8 by priority 0, asked to be at (1.0, 0.6): nearest is (0.8, 0.6).
    body = two_arms()
    tasks = [HalfSpace('left_hand', (0, 0, 0), (0.8, 0, 0), (-1, 0, 0), priority=0, name='wall'),
             Position('left_hand', (1.0, 0.6, 0.0), name='reach')]
    result = make_body_solver(name, body, tasks, max_restarts=3).solve(np.full(6, 0.2))
    assert not result.success
    assert result.errors['wall'][0] <= 1e-6
    assert hand(body, result.q) == pytest.approx([0.8, 0.6, 0.0], abs=1e-4)
    assert "'reach' misses by 0.2 m" in result.diagnosis


@pytest.mark.parametrize('name', body_solver_names())
def test_one_sided_constraints_hold_over_steps_near_a_singularity(name):
    # The hands as far apart as the distance lets them, the arms nearly stretched: a millimetre of
    # the left hand takes much motion of the other joints.
    body = two_arms('planar', limit=1.2)
    start = np.full(body.n_joints, 0.3)
    com = body.center_of_mass(start)[:2]
    sides = [Distance('left_hand', 'right_hand', 0.1, 1.0, priority=0),
             CenterOfMass(polygon=com + 0.1 * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]),
                          priority=0)]
    q = make_body_solver(name, body, sides).solve(
        [0.411, 0.442, -0.2927, 1.2, 0.2139, 0.0188, 0.1595, 0.8735, 0.7018]).q
    pull = Position('left_hand', priority=2, weight=1e6 if name == 'lagrange' else 1.0)
    solver = make_body_solver(name, body, [*sides, pull])
    for _ in range(60):
        pull.target = hand(body, q) + [0.001, 0.0, 0.0]
        q = q + 0.01 * solver.velocity(q, 0.01)
        for task in sides:
            assert task.residual(body, q).min() > -1e-6


@STRICT
@pytest.mark.parametrize(('link', 'by', 'missed'), [
    # Rotations of 0.03 rad: the linear step alone misses the constraint by a tenth of a millimetre.
    ('left_3', 0.005, 1e-7),
    # A step is shortened no more than it has to be: of 0.14 m, what is damped is missed.
    ('right_hand', 0.1, 1e-4)])
def test_a_long_step_meets_a_constraint_that_is_curved(name, link, by, missed):
    body = two_arms(speed=np.inf)
    q = np.full(body.n_joints, 0.6)
    frames, pulled = body.forward(q), 2.0 * by if link == 'left_3' else by
    hold = Position('left_hand', frames['left_hand'][:3, 3] + [-by, by, 0.0], priority=0)
    pull = Position(link, frames[link][:3, 3] + [-pulled, pulled, 0.0], priority=2)
    moved = q + make_body_solver(name, body, [hold, pull]).velocity(q, 1.0)
    assert np.abs(hold.residual(body, moved)).max() < missed


@pytest.mark.parametrize('name', body_solver_names())
def test_a_step_that_is_shortened_still_stays_inside_a_polygon(name):
    body = two_arms('planar', limit=1.2)
    com = body.center_of_mass(np.full(body.n_joints, 0.3))[:2]
    balance = CenterOfMass(polygon=com + 0.1 * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]),
                           priority=0)
    apart = Distance('left_hand', 'right_hand', 0.1, 1.0, priority=0)
    q = np.array([0.33621, 0.57165, -1.29854, 1.2, 0.09111, -0.00343, 1.2, 1.2, -0.66185])
    pull = Position('left_hand', hand(body, q) + [0.000985, -0.000171, 0.0], priority=2,
                    weight=1e6 if name == 'lagrange' else 1.0)
    solver = make_body_solver(name, body, [apart, balance, pull])
    moved = q + 0.01 * solver.velocity(q, 0.01)
    assert balance.residual(body, moved).min() > -1e-7
    assert apart.residual(body, moved).min() > -1e-7


@STRICT
@pytest.mark.parametrize('seed', range(4))
def test_a_lower_target_moved_by_a_metre_leaves_the_higher_task_where_it_is(name, seed):
    body, rng = figure(), np.random.default_rng(seed)
    q = rng.uniform(*(0.6 * bound for bound in bounds(body)))
    frames = body.forward(q)
    higher = Position('hand', frames['hand'][:3, 3], priority=0)
    lower = Position('nose', frames['nose'][:3, 3])
    solver = make_body_solver(name, body, [higher, lower], max_restarts=1)
    residuals = []
    for moved in (np.zeros(3), np.array([0.0, 0.6, 0.8])):
        lower.target = frames['nose'][:3, 3] + moved
        residuals.append(higher.residual(body, solver.solve(np.zeros(body.n_joints)).q))
    assert np.linalg.norm(residuals[0]) <= 1e-6
    assert np.linalg.norm(residuals[1] - residuals[0]) < 1e-6


def test_weights_decide_where_priorities_are_alike():
    body = two_arms()
    tasks = [Position('left_hand', (0.8, 0.2, 0.0), weight=3.0, name='a'),
             Position('left_hand', (0.8, 0.6, 0.0), weight=1.0, name='b')]
    for name in ('least_squares', 'hierarchy'):
        result = make_body_solver(name, body, tasks, max_restarts=1).solve(np.full(6, 0.4))
        assert hand(body, result.q) == pytest.approx([0.8, 0.3, 0.0], abs=1e-4)


def test_the_hierarchy_does_not_disturb_a_higher_priority():
    body = two_arms()
    tasks = [Position('left_hand', (0.8, 0.2, 0.0), priority=1, name='first'),
             Position('left_3', (0.6, 0.6, 0.0), priority=2, name='second'),
             Posture(np.full(6, 0.5), priority=3)]
    solver = make_body_solver('hierarchy', body, tasks)
    result = solver.solve(np.full(6, 0.4))
    assert result.success
    assert result.errors['first'][0] <= 1e-6
    # The elbow, 0.4 m from the hand, as near to (0.6, 0.6) as that lets it.
    direction = np.array([0.6, 0.6]) - [0.8, 0.2]
    nearest = [0.8, 0.2] + 0.4 * direction / np.linalg.norm(direction)
    assert body.forward(result.q)['left_3'][:2, 3] == pytest.approx(nearest, abs=1e-3)
    assert result.q[3:] == pytest.approx(np.full(3, 0.5), abs=1e-3)


@STRICT
@pytest.mark.parametrize('seed', range(5))
def test_what_tasks_leave_free_is_as_near_a_posture_as_scipy_brings_it(name, seed):
    body, rng = figure(), np.random.default_rng(seed)
    q = rng.uniform(*(0.6 * bound for bound in bounds(body)))
    frames = body.forward(q)
    reach = [Position('hand', frames['hand'][:3, 3]),
             HalfSpace('nose', (0, 0, 0), frames['nose'][:3, 3], (0, 0, 1))]
    wanted = np.clip(0.3, body.lower, body.upper)
    gains = rng.uniform(0.5, 2.0, body.n_joints)
    result = make_body_solver(name, body, [*reach, Posture(wanted, gains, priority=2)]).solve(q)
    assert result.success, result

    def cost(q):
        return 0.5 * float(gains @ (q - wanted) ** 2)
    best = minimize(cost, result.q, method='SLSQP', bounds=list(zip(body.lower, body.upper)),
                    constraints=[{'type': 'eq', 'fun': lambda q: reach[0].residual(body, q)},
                                 {'type': 'ineq', 'fun': lambda q: reach[1].residual(body, q)}],
                    options={'ftol': 1e-12, 'maxiter': 500})
    assert cost(result.q) <= 1.001 * best.fun + 1e-6


def test_without_priorities_the_second_task_takes_from_the_first():
    body = two_arms()
    tasks = [Position('left_hand', (0.8, 0.2, 0.0), name='first'),
             Position('left_3', (0.6, 0.7, 0.0), priority=2, name='second')]
    result = make_body_solver('least_squares', body, tasks, max_restarts=1).solve(np.full(6, 0.4))
    assert not result.success
    assert result.errors['first'][0] > 0.01


@pytest.mark.parametrize('name', ['hierarchy', 'least_squares'])
def test_limits_are_hard_at_every_priority(name):
    body = two_arms(limit=0.5)
    tasks = [Position('left_hand', (0.0, 1.5, 0.0), priority=0), Posture(np.full(6, 2.0))]
    result = make_body_solver(name, body, tasks, max_restarts=2).solve()
    assert (np.abs(result.q) <= 0.5).all()
    assert 'joints at a limit' in result.diagnosis


def test_a_lower_inequality_acts_where_the_higher_task_leaves_room():
    body = two_arms()
    reach = Position('left_hand', (0.7, 0.3, 0.0), priority=1)
    for side in (1.0, -1.0):
        # The elbow on one side of the line from shoulder to hand, below the reach in priority.
        keep = HalfSpace('left_2', (0, 0, 0), (0.0, 0.3 + 0.15 * side, 0.0), (0, side, 0),
                         priority=2, name='side')
        result = make_body_solver('hierarchy', body, [reach, keep]).solve(
            np.array([0.8, -1.0, -0.5, 0, 0, 0]) * side)
        assert result.success
        assert result.errors['side'][0] <= 1e-6


def test_velocities_keep_limits_and_priorities():
    body = two_arms(limit=1.0)
    rng = np.random.default_rng(0)
    for name in ('hierarchy', 'least_squares', 'lagrange'):
        first = Position('left_hand', (0.9, 0.5, 0.0))
        solver = make_body_solver(name, body, [first, Posture(np.full(6, 0.9), priority=2),
                                               CenterOfMass((9.0, 9.0, 9.0), priority=3)])
        for dt in (1e-3, 0.05, 1.0):
            for _ in range(5):
                q = rng.uniform(-1.0, 1.0, 6)
                velocity = solver.velocity(q, dt)
                assert (np.abs(velocity) <= body.velocity_limits).all()
                assert (q + dt * velocity <= body.upper + 1e-12).all()
                assert (q + dt * velocity >= body.lower - 1e-12).all()
            back = solver.velocity(np.full(6, 1.5), dt)
            assert (back <= 0.0).all()


@pytest.mark.parametrize('name', ['hierarchy', 'least_squares', 'lagrange'])
def test_steps_of_velocities_lead_to_the_target(name):
    body = two_arms('planar')
    q = np.full(9, 0.2)
    target = np.eye(4)
    target[:3, 3] = 1.5, 0.8, 0.0
    task = Pose('left_hand', target)
    solver = make_body_solver(name, body, [task])
    for _ in range(200):
        q = q + 0.05 * solver.velocity(q, 0.05)
    assert np.abs(task.residual(body, q)).max() < 1e-6
