"""Where an elbow may be and where it is wanted, of an arm with spherical shoulder and wrist."""

import numpy as np
import pytest

import robots
from ik_node import Goal, IkError, StopReason, make_solver

TURN = 2 * np.pi
CHAIN = robots.chain('arm_7r')


def tight(chain, rng, width):
    """Return a chain whose limits leave each joint so much, rad, about q (7,), and that q."""
    q = robots.random_q(chain, rng, 0.8)
    middle = q + width * rng.uniform(-0.49, 0.49, 7)
    return chain.with_limits(np.maximum(middle - width / 2, chain.lower),
                             np.minimum(middle + width / 2, chain.upper)), q


def elbow_of(chain, q):
    """Return where joint 4 is, m, base frame: by forward kinematics of the tree alone."""
    joint = chain.tree.joints[chain.joint_names[3]]
    return chain.tree.forward(dict(zip(chain.joint_names, q)))[joint.child][:3, 3]


def covered(intervals, psi):
    return any((psi - begin) % TURN <= end - begin for begin, end in intervals)


@pytest.mark.parametrize('width', [1e9, 2.0, 0.5])
def test_intervals_are_where_branches_are(width):
    rng = np.random.default_rng(200)
    seen = {True: 0, False: 0}
    for _ in range(robots.samples(25)):
        chain, q = tight(CHAIN, rng, width)
        solver = make_solver('analytic', chain)
        pose = chain.forward(q)
        intervals = solver.swivel_intervals(pose)
        assert covered(intervals, solver.redundancy_of(q)[0])
        assert (intervals[:, 0] < intervals[:, 1]).all()
        assert (intervals[1:, 0] > intervals[:-1, 1]).all()
        for psi in rng.uniform(-np.pi, np.pi, 100):
            there = len(solver.solve_all(pose, redundancy=psi)) > 0
            assert there == covered(intervals, psi)
            seen[there] += 1
    assert min(seen.values()) > 0


@pytest.mark.parametrize('width', [0.3, 0.02, 1e-4])
def test_however_little_room_the_limits_leave_a_solution_is_found(width):
    rng = np.random.default_rng(201)
    for _ in range(robots.samples(30)):
        chain, q = tight(CHAIN, rng, width)
        solver = make_solver('analytic', chain, prefer='first')
        pose = chain.forward(q)
        result = solver.solve(pose)
        assert result.success
        assert result.iterations == 0  # of the closed form itself
        assert chain.forward(result.q) == pytest.approx(pose, abs=1e-9)
        assert robots.inside(chain, result.q)
        assert len(solver.solve_all(pose)) > 0


def test_a_configuration_at_its_limits_is_found():
    rng, chain = np.random.default_rng(202), CHAIN
    solver = make_solver('analytic', chain)
    for _ in range(robots.samples(200)):
        q = robots.random_q(chain, rng)
        stands = rng.random(7) < 0.5
        q[stands] = np.where(rng.random(7) < 0.5, chain.lower, chain.upper)[stands]
        result = solver.solve(chain.forward(q))
        assert result.success
        assert chain.forward(result.q) == pytest.approx(chain.forward(q), abs=1e-6)


def test_a_margin_is_kept_wherever_it_can_be():
    rng = np.random.default_rng(203)
    for _ in range(robots.samples(30)):
        chain, q = tight(CHAIN, rng, 0.3)
        room = np.minimum(q - chain.lower, chain.upper - q).min()
        result = make_solver('analytic', chain, limit_margin=0.9 * room).solve(chain.forward(q))
        assert result.success
        assert np.minimum(result.q - chain.lower,
                          chain.upper - result.q).min() >= 0.9 * room - 1e-12
        wide = make_solver('analytic', chain, limit_margin=0.149).solve(chain.forward(q))
        assert wide.success  # the limits leave 0.3: no solution keeps it


@pytest.mark.parametrize('name', ['analytic', 'auto'])
def test_the_elbow_is_as_near_the_hint_as_the_limits_allow(name):
    rng, chain = np.random.default_rng(204), CHAIN
    moved = 0.0
    for _ in range(robots.samples(25)):
        q = robots.random_q(chain, rng, 0.7)
        pose = chain.forward(q)
        hint = rng.uniform(-0.6, 0.6, 3) + [0.0, 0.0, 0.5]
        solver = make_solver(name, chain, elbow=hint)
        result = solver.solve(pose, q)
        assert result.success
        assert chain.forward(result.q) == pytest.approx(pose, abs=1e-9)
        nearest = min(np.linalg.norm(elbow_of(chain, branch) - hint)
                      for psi in np.linspace(-np.pi, np.pi, 181)
                      for branch in solver.solve_all(pose, redundancy=psi)[:1])
        own = np.linalg.norm(elbow_of(chain, result.q) - hint)
        assert own < nearest + 1e-6
        moved += np.linalg.norm(elbow_of(chain, make_solver(name, chain).solve(pose, q).q)
                                - hint) - own
    assert moved > 0.1  # without the option it is not so near


def test_the_redundancy_towards_a_point_has_the_elbow_there():
    rng, chain = np.random.default_rng(205), CHAIN
    solver = make_solver('auto', chain)
    possible = []
    for _ in range(robots.samples(50)):
        q = robots.random_q(chain, rng)
        pose = chain.forward(q)
        psi = solver.redundancy_towards(pose, elbow_of(chain, q))
        assert abs(np.remainder(psi - solver.redundancy_of(q)[0] + np.pi, TURN) - np.pi) < 1e-7
        hint = elbow_of(chain, q) + rng.normal(scale=0.3, size=3)
        free = solver.redundancy_towards(pose, hint, within_limits=False)
        inside = solver.redundancy_towards(pose, hint)
        assert covered(solver.swivel_intervals(pose) + [-1e-12, 1e-12], inside)
        possible.append(covered(solver.swivel_intervals(pose), free))
        assert (inside == pytest.approx(free, abs=1e-12)) == possible[-1]
    if len(possible) == 50:  # of the few that are drawn in plain Python none may be
        assert 0 < sum(possible) < 50


def test_a_hint_on_the_line_through_shoulder_and_wrist_says_nothing():
    chain = CHAIN
    q = np.array([0.3, 0.6, -0.4, 1.1, 0.5, 0.8, -0.6])
    pose = chain.forward(q)
    shoulder = chain.tree.forward({})[chain.tree.joints[chain.joint_names[1]].child][:3, 3]
    with pytest.raises(IkError, match='beside the line'):
        make_solver('analytic', chain).redundancy_towards(pose, shoulder)
    near = q + 0.02
    plain = make_solver('analytic', chain).solve(pose, near)
    hinted = make_solver('analytic', chain, elbow=shoulder).solve(pose, near)
    assert hinted.q == pytest.approx(plain.q, abs=1e-12)


def test_out_of_reach_and_out_of_the_limits_have_no_interval():
    chain = CHAIN
    solver = make_solver('analytic', chain)
    pose = np.eye(4)
    pose[:3, 3] = 5.0, 0.0, 0.0
    assert solver.swivel_intervals(pose).shape == (0, 2)
    assert solver.solve_all(pose).shape == (0, 7)
    assert not solver.solve(pose).success
    straight = chain.forward([0.1, 0.6, 0.2, 0.2, 0.3, 0.5, 0.1])
    bent = make_solver('analytic', chain.with_limits(
        np.where(np.arange(7) == 3, 0.5, chain.lower), chain.upper))
    assert bent.swivel_intervals(straight).shape == (0, 2)
    assert bent.solve(straight).reason is StopReason.LIMITS


def test_what_has_no_swivel_angle_says_so():
    ur5, seven = robots.chain('ur5'), CHAIN
    for name in ('analytic', 'auto'):
        solver = make_solver(name, ur5)
        for ask in (lambda s=solver: s.swivel_intervals(np.eye(4)),
                    lambda s=solver: s.redundancy_towards(np.eye(4), [0, 0, 1])):
            with pytest.raises(IkError, match='spherical shoulder and wrist.*axes 2, 3, 4'):
                ask()
        with pytest.raises(IkError, match='elbow is for an arm.*axes 2, 3, 4 parallel'):
            make_solver(name, ur5, elbow=[0, 0, 1])
        for wrong in ([0, 0], [0, 0, np.nan], 'up'):
            with pytest.raises(IkError, match='elbow'):
                make_solver(name, seven, elbow=wrong)
    with pytest.raises(IkError, match='leaves some free'):
        make_solver('analytic', seven).swivel_intervals(Goal(position=[0.3, 0.1, 0.6]))
    with pytest.raises(IkError, match='elbow must'):
        make_solver('analytic', seven).redundancy_towards(np.eye(4), [0, 0])
    with pytest.raises(IkError, match='auto.elbow'):
        make_solver('auto', robots.mimicking(), elbow=[0, 0, 1])


@pytest.mark.parametrize(('name', 'complete'), [('arm_7r', True), ('arm_6r', True),
                                                ('irb140', False), ('panda', False)])
def test_a_solver_says_whether_its_no_is_a_proof(name, complete):
    chain = robots.chain(name)
    assert make_solver('analytic', chain).is_complete() is complete
    if name == 'arm_6r':
        assert make_solver('analytic', chain).is_complete(Goal(position=[0.3, 0, 0.5])) is False


@pytest.mark.parametrize(('q', 'singular'), [
    ([0.3, 0.8, 0.2, 1.0, 0.4, 0.5, 0.2], False),
    ([0.3, 0.0, 0.2, 1.0, 0.4, 0.5, 0.2], True),
    ([0.3, 0.8, 0.2, 0.0, 0.4, 0.5, 0.2], True),
    ([0.3, 0.8, 0.2, 1.0, 0.4, 0.0, 0.2], True)],
    ids=['regular', 'shoulder', 'elbow', 'wrist'])
def test_a_pose_of_a_singular_configuration_is_recognised_whatever_the_swivel_angle(q, singular):
    chain = CHAIN
    solver = make_solver('analytic', chain)
    pose = chain.forward(q)
    goal = Goal(pose[:3, 3], pose[:3, :3])
    assert solver.is_complete(goal)
    for other in solver.solve_all(pose, within_limits=False, redundancy=1.0):
        assert solver._elbow.may_be_singular(chain.forward(other)) is singular
