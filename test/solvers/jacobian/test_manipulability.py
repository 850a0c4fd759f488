import numpy as np
import pytest

import robots
from ik_node import Goal, KinematicTree, make_solver
from ik_node.model.joints import BALL, ComplexJoint, Joint
from ik_node.solvers.jacobian.nullspace import Manipulability


def rows_of(chain, q, length, rows):
    J = chain.jacobian(q)
    return np.concatenate([J[:3] / length, J[3:]])[rows]


def measure(chain, q, length, rows=range(6)):
    """Return √det(J Jᵀ), metres counted in lengths of the arm, by NumPy."""
    J = rows_of(chain, q, length, list(rows))
    return np.sqrt(max(0.0, np.linalg.det(J @ J.T)))


def uphill(chain, goal, q, **options):
    """Return (w, ∂w/∂q (n,)) as the kernels have them, and the length of the arm."""
    solver = make_solver('dls', chain, manipulability_gain=1.0, **options)
    there = q.copy()
    w, ascent = Manipulability(chain.record, solver.settings).at(goal.pose, goal.weights, there)
    assert (there == q).all()
    return w, ascent, solver.settings.length


def by_the_hessian(chain, q, length):
    """Return ∂w/∂qᵢ = w tr(J⁺ ∂J/∂qᵢ), ∂J/∂q by cross products of J's columns; no shared arcs."""
    J = chain.jacobian(q)
    V, W = J[:3].T, J[3:].T
    pinv = np.linalg.pinv(rows_of(chain, q, length, range(6)))
    gradient = np.empty(chain.n_joints)
    for i in range(chain.n_joints):
        H = np.zeros((6, chain.n_joints))
        for j in range(chain.n_joints):
            H[:3, j] = np.cross(W[min(i, j)], V[max(i, j)]) / length
            H[3:, j] = np.cross(W[i], W[j]) if i < j else 0.0
        gradient[i] = np.trace(pinv @ H)
    return measure(chain, q, length) * gradient


def central_differences(chain, q, length, rows=range(6), step=1e-6):
    return np.array([measure(chain, q + d, length, rows) - measure(chain, q - d, length, rows)
                     for d in step * np.eye(chain.n_joints)]) / (2.0 * step)


def lift():
    """Return an arm on a slide, its elbow followed by a mimic: a shared column and a slide."""
    limit = 'lower="-2" upper="2" effort="1" velocity="1"'
    return KinematicTree.from_urdf(robots.robot(
        robots.joint('slide', 'prismatic', 'base', 'cart', axis='0 1 0', limit=limit),
        robots.joint('a', 'revolute', 'cart', 'la', axis='0 0 1', limit=limit),
        robots.joint('b', 'revolute', 'la', 'lb', xyz='0.5 0 0', limit=limit),
        robots.joint('c', 'revolute', 'lb', 'lc', xyz='0.4 0 0', limit=limit,
                     mimic='joint="b" multiplier="0.5" offset="0.1"'),
        robots.joint('t', 'fixed', 'lc', 'tip', xyz='0.3 0 0'))).chain()


def spherical():
    """Return a leg of two balls by exponential map and a hinge: axes that turn with the ball."""
    def at(*place):
        T = np.eye(4)
        T[:3, 3] = place
        return T

    return KinematicTree(['base', 'thigh', 'shank', 'foot'], [
        ComplexJoint('hip', BALL, 'base', 'thigh', at(0.1, 0, 0.5), rotation='exponential'),
        Joint('knee', 'revolute', 'thigh', 'shank', at(0.4, 0, 0), axis=np.array([0.0, 1.0, 0.0]),
              lower=-2.0, upper=2.0),
        ComplexJoint('ankle', BALL, 'shank', 'foot', at(0.35, 0.05, 0),
                     rotation='exponential'),
    ]).chain()


@pytest.mark.parametrize('name', ['panda', 'iiwa14', 'ur5', 'puma560'])
def test_the_gradient_is_the_hessians(name):
    chain = robots.chain(name)
    rng = np.random.default_rng(90)
    for _ in range(robots.samples(20)):
        q = robots.random_q(chain, rng)
        w, gradient, length = uphill(chain, Goal.from_pose(chain.forward(q)), q)
        assert w == pytest.approx(measure(chain, q, length), rel=1e-6, abs=1e-9)
        assert gradient == pytest.approx(by_the_hessian(chain, q, length), rel=1e-4, abs=1e-7)


def test_it_is_central_differences_of_numpys_measure_for_mimics_prismatic_and_spherical_joints():
    rng = np.random.default_rng(91)
    for chain, rows, weights in [(lift(), (0, 1), (1, 1, 0, 0, 0, 0)),
                                 (lift(), (0, 1, 5), (1, 1, 0, 0, 0, 1)),
                                 (spherical(), range(6), (1, 1, 1, 1, 1, 1)),
                                 (spherical(), (0, 1, 2), (1, 1, 1, 0, 0, 0))]:
        for _ in range(5):
            q = rng.uniform(-1.2, 1.2, chain.n_joints)
            goal = Goal.from_pose(np.eye(4), weights)
            w, gradient, length = uphill(chain, goal, q)
            assert w == pytest.approx(measure(chain, q, length, rows), rel=1e-9)
            assert gradient == pytest.approx(
                central_differences(chain, q, length, rows), rel=1e-4, abs=1e-7)
            assert np.abs(gradient).max() > 1e-3


def test_weights_of_rows_and_of_joints_do_not_count():
    chain = robots.chain('panda')
    q = robots.random_q(chain, np.random.default_rng(92))
    pose = chain.forward(q)
    plain = uphill(chain, Goal.from_pose(pose), q)
    weighted = uphill(chain, Goal.from_pose(pose, (3, 3, 3, 0.5, 0.5, 0.5)), q)
    assert weighted[0] == pytest.approx(plain[0], rel=1e-9)
    heavy = uphill(chain, Goal.from_pose(pose), q, joint_weights=[4.0, 1, 1, 1, 1, 1, 1])
    assert heavy[0] == pytest.approx(plain[0], rel=1e-12)
    assert heavy[1] == pytest.approx(plain[1], rel=1e-9)


def test_the_ascent_is_the_least_motion_by_the_weights_of_joints():
    chain, gain, weights = robots.chain('panda'), 2.0, np.array([4.0, 1, 1, 1, 1, 1, 1])
    q = robots.random_q(chain, np.random.default_rng(94), inside=0.8)
    solver = make_solver('pseudoinverse', chain, manipulability_gain=gain, joint_weights=weights)
    scale = 1.0 / np.sqrt(weights)  # the unknown is √weight Δq
    J = chain.jacobian(q) * scale
    null = np.eye(7) - np.linalg.pinv(J) @ J
    gradient = by_the_hessian(chain, q, solver.settings.length)
    assert solver.step(chain.forward(q), q) == pytest.approx(
        scale * (null @ (gain * scale * gradient)), rel=1e-4, abs=1e-7)


@pytest.mark.parametrize('name', ['pseudoinverse', 'dls', 'transpose'])
def test_the_ascent_is_a_null_space_motion_of_the_size_of_its_gain(name):
    chain = robots.chain('panda')
    rng = np.random.default_rng(93)
    for _ in range(10):
        q = robots.random_q(chain, rng, inside=0.9)
        goal = chain.forward(q)
        solver = make_solver(name, chain, manipulability_gain=2.0)
        step = solver.step(goal, q)
        assert chain.jacobian(q) @ step == pytest.approx(np.zeros(6), abs=1e-9)
        gradient = by_the_hessian(chain, q, solver.settings.length)
        J = chain.jacobian(q)
        expected = 2.0 * (np.eye(7) - np.linalg.pinv(J) @ J) @ gradient
        assert step == pytest.approx(expected, abs=1e-6)
        assert gradient @ step > 0.0
        # Along with an error it is what is added to the step without it.
        ahead = chain.forward(q + 0.05)
        added = solver.step(ahead, q) - make_solver(name, chain).step(ahead, q)
        assert J @ added == pytest.approx(np.zeros(6), abs=1e-9)
        assert np.abs(added).max() > 1e-4


@pytest.mark.parametrize('name', ['pseudoinverse', 'dls'])
def test_a_panda_ends_where_its_tip_moves_better(name):
    chain = robots.chain('panda')
    rng = np.random.default_rng(94)
    plain = make_solver(name, chain, bias_gain=0.0)
    ascending = make_solver(name, chain, manipulability_gain=5.0)
    length, ends = plain.settings.length, []
    for _ in range(max(40, robots.samples(200))):
        pose = chain.forward(robots.random_q(chain, rng, inside=0.6))
        start = robots.random_q(chain, rng, inside=0.6)
        results = [solver.solve(pose, start) for solver in (plain, ascending)]
        assert [result.success for result in results] == [True, True]
        ends.append([measure(chain, result.q, length) for result in results])
    before, after = np.array(ends).T
    assert after.mean() > 1.15 * before.mean()
    assert (after > before - 1e-4).mean() > 0.9


def test_it_ascends_until_the_goal_holds_it():
    # What is left of the gradient at the end would move the tip.
    chain = robots.planar(1.0, 0.8, 0.6)
    goal, start = Goal(position=[1.2, 0.6, 0.0]), [-0.6, 0.3, 2.0]
    plain = make_solver('dls', chain).solve(goal, start)
    result = make_solver('dls', chain, manipulability_gain=3.0).solve(goal, start)
    assert result.success
    length, rows = 2.4, (0, 1)
    gradient = central_differences(chain, result.q, length, rows)
    J = chain.jacobian(result.q)[:2]
    left = gradient - np.linalg.pinv(J) @ J @ gradient
    assert np.abs(left).max() < 1e-3
    assert measure(chain, result.q, length, rows) > 1.3 * measure(chain, plain.q, length, rows)


def test_with_no_more_joints_than_rows_there_is_nothing_to_ascend():
    chain = robots.chain('ur5')
    pose = chain.forward(robots.random_q(chain, np.random.default_rng(95), inside=0.5))
    plain, ascending = (make_solver('dls', chain, **options).solve(pose)
                       for options in ({}, {'manipulability_gain': 5.0}))
    assert ascending.success
    assert ascending.q == pytest.approx(plain.q, abs=1e-4)


def test_the_default_bias_does_not_hinder_the_ascent_and_a_given_one_joins_it():
    chain = robots.chain('panda')
    q = robots.random_q(chain, np.random.default_rng(96), inside=0.8)
    pose = chain.forward(q)
    options = {'alone': {}, 'default': {'manipulability_gain': 2.0},
               'bias': {'bias_gain': 0.2},
               'both': {'manipulability_gain': 2.0, 'bias_gain': 0.2}}
    steps = {name: make_solver('dls', chain, **given).step(pose, q)
             for name, given in options.items()}
    assert steps['alone'] == pytest.approx(np.zeros(7), abs=1e-9)
    assert steps['both'] == pytest.approx(steps['default'] + steps['bias'], abs=1e-9)
