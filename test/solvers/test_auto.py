"""The solver that takes the closed form or damped least squares first, by their cost."""

import numpy as np
import pytest

import robots
from ik_node import Goal, StopReason, make_solver
from ik_node.solvers.analytic import goal_closed_form
from ik_node.solvers.jacobian.solvers import DlsSolver
from ik_node.solvers.solver_output import Found
from ik_node.support.exceptions import UnsupportedError

NEVER_MET = {'position_tolerance': 1e-300, 'max_restarts': 2}
ELBOWS = [np.array([0.4, 0.9]), np.array([0.4, -0.9])]


def test_is_complete_is_that_of_the_closed_form():
    assert make_solver('auto', robots.chain('arm_6r')).is_complete()
    assert make_solver('auto', robots.chain('arm_7r')).is_complete() is make_solver(
        'analytic', robots.chain('arm_7r')).is_complete()


def missed(found):
    """Return what was found as if it had not been."""
    return found._replace(success=False, reason=StopReason.STALLED, q=0.0 * found.q)


def calls_of(solver, monkeypatch):
    """Return the list of (goal, q0, whole) with which damped least squares is called.

    whole: whether all attempts are allowed, not only those before the closed form.
    """
    calls = []
    real = solver.iterative._solve
    monkeypatch.setattr(solver.iterative, '_solve', lambda goal, q, search=None: (
        calls.append((goal, q.copy(), search in (None, solver.iterative._entry))),
        real(goal, q, search))[1])
    return calls


def goal_and_start(chain, seed=0):
    """Return a pose within reach, and a start, at random."""
    rng = np.random.default_rng(seed)
    return chain.forward(robots.random_q(chain, rng)), robots.random_q(chain, rng)


@pytest.mark.parametrize('name', ['ur5', 'puma560'])
def test_a_closed_form_that_takes_less_than_an_attempt_is_first(name, monkeypatch):
    chain = robots.chain(name)
    solver, analytic = make_solver('auto', chain), make_solver('analytic', chain)
    calls = calls_of(solver, monkeypatch)
    pose, start = goal_and_start(chain)
    result = solver.solve(pose, start)
    assert result.success
    assert result.method == 'analytic'
    assert result.iterations == 0
    assert (result.q == analytic.solve(pose, start).q).all()
    assert calls == []
    branches = solver.solve_all(pose)
    for q in branches:
        solver._verifier.nearest_turn(start, q)
    nearest = branches[np.argmin(np.linalg.norm(branches - start, axis=1))]
    assert result.q == pytest.approx(nearest, abs=1e-9)
    assert solver.family == analytic.family
    assert solver.refusal == ''


@pytest.mark.parametrize(('name', 'attempts'), [
    ('irb140', 27), ('panda', 29), ('own 7r', 10), ('baxter', 101), ('planar', 8)])
def test_one_that_takes_longer_follows_as_many_attempts_of_dls_as_it_is_worth(name, attempts):
    # By its cost: three times as long as the closed form usually takes, all where that is more.
    chain = {'own 7r': seven, 'planar': lambda: robots.planar(1.0, 0.8, 0.5)}.get(
        name, lambda: robots.chain(name))()
    solver = make_solver('auto', chain)
    pose, start = goal_and_start(chain)
    result = solver.solve(pose, start)
    assert result.success
    assert result.method == 'dls'
    assert (result.q == make_solver('dls', chain).solve(pose, start).q).all()
    never = make_solver('auto', chain, position_tolerance=1e-300, orientation_tolerance=1e-300)
    opening = never.iterative._solve(Goal.from_pose(pose), start, never._usual)
    assert opening.restarts + 1 == attempts


@pytest.mark.parametrize('options', [
    {'prefer': 'manipulability'}, {'prefer': 'limits'}, {'elbow': [0.2, 0.4, 0.6]}])
def test_where_dls_compares_several_solutions_or_ignores_an_elbow_the_closed_form_is_first(options):
    chain = seven()
    pose, start = goal_and_start(chain)
    result = make_solver('auto', chain, **options).solve(pose, start)
    assert result.method == 'analytic'
    assert (result.q == make_solver('analytic', chain, **options).solve(pose, start).q).all()


def test_the_methods_of_the_closed_form_are_those_of_analytic():
    chain = robots.planar(1.0, 0.8)
    solver = make_solver('auto', chain)
    assert len(solver.solve_all(Goal(position=chain.forward(ELBOWS[0])[:3, 3]))) == 2
    poses = np.array([chain.forward(configuration) for configuration in ELBOWS])
    branches, counts = solver.solve_all_batch(poses)
    assert counts.tolist() == [1, 1]  # a pose says which elbow
    assert branches[:, 0] == pytest.approx(np.array(ELBOWS), abs=1e-9)


def test_where_it_has_none_solutions_are_those_of_dls_and_the_reason_is_reported():
    chain = robots.mimicking()
    solver = make_solver('auto', chain)
    goal = Goal(position=chain.forward([0.4, 0.9])[:3, 3])
    result = solver.solve(goal)
    assert result.success
    assert result.method == 'dls'
    assert (result.q == make_solver('dls', chain).solve(goal).q).all()
    poses = np.array([chain.forward([0.4, 0.9]), chain.forward([-0.3, 0.5])])
    batch = solver.solve_batch(poses)
    assert (batch.q == make_solver('dls', chain).solve_batch(poses).q).all()
    assert batch.method.tolist() == ['dls'] * 2
    with pytest.raises(UnsupportedError) as refused:
        make_solver('analytic', chain)
    assert solver.refusal == str(refused.value)
    assert refused.value.found in solver.family
    assert 'dls is used' in solver.family
    with pytest.raises(UnsupportedError, match='analytic has no closed form for the arm'):
        solver.solve_all(goal)
    with pytest.raises(UnsupportedError, match='analytic has no closed form for the arm'):
        solver.solve_all_batch(np.array([np.eye(4)]))


def test_a_goal_without_a_closed_form_is_met_by_dls_from_the_same_start(monkeypatch):
    chain = robots.planar(15.0, 10.0, 5.0)
    solver = make_solver('auto', chain)
    goal = Goal(orientation=chain.forward([0.4, 0.3, 0.2])[:3, :3])  # the position is left free
    calls = calls_of(solver, monkeypatch)
    start = np.array([0.5, 0.6, -0.1])
    result = solver.solve(goal, start)
    assert result.success
    assert result.method == 'dls'
    assert [q0.tolist() for _, q0, _ in calls] == [start.tolist()]
    with pytest.raises(UnsupportedError, match='leaves it free'):
        solver.solve_all(goal)


def test_whether_a_goal_has_a_closed_form_is_found_out_once(monkeypatch):
    chain = robots.chain('ur5')
    solver, calls, real = make_solver('auto', chain), [], goal_closed_form.recognise
    monkeypatch.setattr(goal_closed_form, 'recognise',
                        lambda *given: (calls.append(given), real(*given))[1])
    for seed in range(3):
        pose, start = goal_and_start(chain, seed)
        goal = Goal.from_pose(pose, (0, 0, 1, 1, 1, 1))
        assert solver.solve(goal, start).method == 'dls'
        with pytest.raises(UnsupportedError) as refused:
            solver.solve_all(goal)
        assert refused.value.found == ('6R with no structure a closed form is known for, for goals '
                                       'that leave x y free')
    assert len(calls) == 1


def test_a_closed_form_finds_what_narrow_limits_leave_though_dls_misses_it(monkeypatch):
    # The limits leave the tip's angle, which the goal does not ask for, a tenth of a degree.
    chain = robots.planar(15.0, 10.0, 5.0)
    q = np.array([0.4, 0.9, 0.3 + np.deg2rad(0.5)])
    solver = make_solver('auto', chain, lower=q - 1e-3, upper=q + 1e-3)
    real = solver.iterative._solve
    monkeypatch.setattr(solver.iterative, '_solve', lambda *given: missed(real(*given)))
    result = solver.solve(Goal(position=chain.forward(q)[:3, 3]), q - 1e-3)
    assert result.success
    assert result.method == 'analytic'
    assert result.q == pytest.approx(q, abs=2e-3)


def test_what_the_closed_form_misses_dls_finds(monkeypatch):
    chain = robots.chain('ur5')
    solver = make_solver('auto', chain)
    real = solver.analytic._solve
    monkeypatch.setattr(solver.analytic, '_solve', lambda *given: missed(real(*given)))
    pose, start = goal_and_start(chain)
    result = solver.solve(pose, start)
    assert result.success
    assert result.method == 'dls'
    assert (result.q == make_solver('dls', chain).solve(pose, start).q).all()


@pytest.mark.parametrize(('goal', 'limit', 'reason'), [
    ([1.5, 2.0, 0.0], None, StopReason.UNREACHABLE),
    ([0.9, 0.5, 0.3], None, StopReason.UNREACHABLE),
    ([-1.0, 0.6, 0.0], 0.5, StopReason.LIMITS)])
def test_where_the_closed_form_proves_that_there_is_nothing_dls_looks_no_further(
        monkeypatch, goal, limit, reason):
    solver = make_solver('auto', robots.planar(1.0, 0.8, limit=limit))
    calls = calls_of(solver, monkeypatch)
    result = solver.solve(Goal(position=goal))
    assert not result.success
    assert result.reason is reason
    # Beyond the arm's length dls proves it; else the closed form does, after a few attempts.
    beyond = np.linalg.norm(goal) > 1.8
    assert result.method == ('dls' if beyond else 'analytic')
    assert [whole for _, _, whole in calls] == [False, True][:1 + beyond]


@pytest.mark.parametrize(('make', 'goal', 'limit'), [
    (lambda limit: robots.planar(1.0, 0.8, limit=limit),
     [np.cos(1.20001) + 0.8 * np.cos(2.1), np.sin(1.20001) + 0.8 * np.sin(2.1), 0.0], 1.2),
    (lambda limit: robots.planar(15.0, 10.0, 5.0, limit=limit), [-9.0, 3.0, 0.0], 0.5)],
    ids=['a near miss', 'a free angle'])
def test_where_it_proves_nothing_dls_is_used_and_the_nearer_solution_returned(
        monkeypatch, make, goal, limit):
    chain = make(limit)
    solver = make_solver('auto', chain)
    calls = calls_of(solver, monkeypatch)
    result = solver.solve(Goal(position=goal))
    assert not result.success
    assert [whole for _, _, whole in calls][-1]
    either = [make_solver(name, chain).solve(Goal(position=goal)).position_error
              for name in ('analytic', 'dls')]
    assert result.position_error == pytest.approx(min(either), rel=1e-9)
    assert result.reason is make_solver('dls', chain).solve(Goal(position=goal)).reason
    assert result.reason is not StopReason.LIMITS


def seven(width=None, about=0.0):
    """Return an arm with a swivel angle, its limits so wide, rad, about some joint values."""
    chain = robots.chain('arm_7r')
    if width is None:
        return chain
    return chain.with_limits(np.maximum(chain.lower, about - width / 2),
                             np.minimum(chain.upper, about + width / 2))


@pytest.mark.parametrize(('q', 'aside', 'width', 'reason'), [
    ([0.3, 0.8, 0.2, 1.0, 0.4, 0.5, 0.2], 5.0, None, StopReason.UNREACHABLE),
    ([1.3, 0.8, 1.2, 1.0, 1.4, 0.5, 1.2], 0.0, 0.6, StopReason.LIMITS)])
def test_a_swivel_angle_leaves_dls_nothing_to_look_for(monkeypatch, q, aside, width, reason):
    chain = seven(width)
    solver = make_solver('auto', chain)
    calls = calls_of(solver, monkeypatch)
    pose = chain.forward(q)
    pose[0, 3] += aside
    result = solver.solve(pose)
    assert not result.success
    assert result.reason is reason
    method = 'dls' if aside else 'analytic'  # which proves what is beyond the arm's length
    assert result.method == method
    batch = solver.solve_batch([pose])
    assert (batch.method.tolist(), batch.reason.tolist()) == ([method], [reason])
    assert [whole for _, _, whole in calls] == ([False, True] if aside else [False])


def test_where_limits_leave_one_swivel_angle_alone_dls_meets_the_goal():
    # A straight wrist shares a turn between joints 5 and 7: both are inside at this angle only.
    q = np.array([-1.05075781, -1.00710062, 0.94236477, 0.48789552, -2.35343085, 0.0, -2.63640452])
    chain = seven().with_limits(
        [-1.36727126, -1.98030766, 0.18030519, 0.17478545, -2.64410197, -1.05257432, -2.89838635],
        [-0.88893995, -0.42774598, 1.61608769, 1.08581498, -1.31829531, 0.14134066, -1.98513745])
    start = [-1.15617268, -1.8066619, 0.88990721, 1.05640824, -2.61123653, 0.08527157, -2.32723952]
    pose = chain.forward(q)
    assert not make_solver('analytic', chain).solve(pose, start).success
    result = make_solver('auto', chain).solve(pose, start)
    assert result.success
    assert result.method == 'dls'


def test_a_batch_is_given_to_the_closed_form_and_the_rest_to_dls(monkeypatch):
    chain = robots.chain('ur5')
    rng = np.random.default_rng(5)
    q = np.array([robots.random_q(chain, rng, inside=0.8) for _ in range(9)])
    poses = np.array([chain.forward(configuration) for configuration in q])
    poses[4, 0, 3] = 99.0
    solver = make_solver('auto', chain)
    reported = []
    whole = solver.solve_batch(poses, q, reported.append)
    assert whole.success.tolist() == [k != 4 for k in range(9)]
    assert whole.reason[4] is StopReason.UNREACHABLE
    assert whole.method.tolist() == ['analytic'] * 9
    real = solver.analytic._batch
    monkeypatch.setattr(solver.analytic, '_batch', lambda *given: list(zip(*(
        Found(*row) if k % 2 else missed(Found(*row))
        for k, row in enumerate(zip(*real(*given)))))))
    mixed = solver.solve_batch(poses, q)
    assert mixed.success.tolist() == [k != 4 for k in range(9)]
    assert mixed.method.tolist()[:4] == ['dls', 'analytic'] * 2
    assert (np.delete(mixed.q, 4, axis=0) == pytest.approx(np.delete(whole.q, 4, axis=0), abs=1e-6))
    assert reported == sorted(reported)
    assert reported[-1] == 1.0


def test_a_batch_is_given_to_dls_and_the_rest_to_the_closed_form():
    chain = seven(0.6)
    rng = np.random.default_rng(5)
    q = np.array([robots.random_q(seven(0.7), rng) for _ in range(20)])  # some outside the limits
    poses = np.array([chain.forward(configuration) for configuration in q])
    solver = make_solver('auto', chain)
    batch = solver.solve_batch(poses)
    assert set(batch.method) == {'dls', 'analytic'}
    assert StopReason.LIMITS in batch.reason
    for k, pose in enumerate(poses):
        one = solver.solve(pose)
        assert (batch.q[k] == one.q).all()
        assert (batch.reason[k], batch.method[k]) == (one.reason, one.method)


@pytest.mark.parametrize('make', [lambda: robots.planar(1.0, 0.8), robots.mimicking])
def test_options_are_those_of_both(make):
    chain = make()
    upper = np.full(chain.n_joints, -0.1)
    solver = make_solver('auto', chain, upper=upper, position_tolerance=1e-3)
    goal = Goal(position=chain.forward(np.full(chain.n_joints, -0.5))[:3, 3])
    result = solver.solve(goal)
    assert result.success
    assert (result.q <= -0.1).all()
    assert solver.iterative.options.position_tolerance == 1e-3


def test_all_that_is_tried_for_a_goal_ends_at_the_same_time(monkeypatch):
    chain, deadlines, deadline = robots.chain('panda'), [], DlsSolver._deadline
    monkeypatch.setattr(DlsSolver, '_deadline', lambda solver: (
        deadlines.append(deadline(solver)), deadlines[-1])[1])
    make_solver('auto', chain, timeout=3600.0, **NEVER_MET).solve(
        chain.forward(robots.middle(chain)))
    assert len(deadlines) > 2
    assert len(set(deadlines)) == 1


def test_what_has_used_up_the_time_leaves_the_other_none(monkeypatch):
    chain = robots.chain('panda')
    solver = make_solver('auto', chain, timeout=0.0, **NEVER_MET)
    calls = calls_of(solver, monkeypatch)
    monkeypatch.setattr(solver.analytic, '_solve', lambda *_: pytest.fail('the time is over'))
    assert solver.solve(chain.forward(robots.middle(chain))).reason is StopReason.TIMEOUT
    assert len(calls) == 1
