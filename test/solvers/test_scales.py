"""Robots of every size, joint type and number of joints; reasons that nothing refutes."""

import numpy as np
import pytest

import robots
import soak
import soak_checks
from generated_robots import generate
from ik_node import Goal, KinematicTree, StopReason, make_solver

TURN = 'lower="-2.8" upper="2.8" effort="1" velocity="1"'
AXES = ['0 0 1', '0 1 0', '0 1 0', '1 0 0', '0 1 0', '1 0 0']


def arm(link, first, axes=AXES):
    """Return links of a length, m, behind what the first joint carries."""
    parts, parent = [first], 'cart'
    for k, axis in enumerate(axes):
        parts.append(robots.joint(f'j{k}', 'revolute', parent, f'l{k}', xyz=f'0 0 {link}',
                                  axis=axis, limit=TURN))
        parent = f'l{k}'
    parts.append(robots.joint('end', 'fixed', parent, 'tip', xyz=f'{link} 0 0'))
    return KinematicTree.from_urdf(robots.robot(*parts)).chain()


@pytest.mark.parametrize('link', [1e-3, 0.3, 300.0])
@pytest.mark.parametrize('distance', [1.0, 60.0, 80.0, 500.0, 5000.0])
def test_a_planar_base_goes_as_far_as_the_goal_is(link, distance):
    chain = arm(link, robots.joint('base', 'planar', 'base', 'cart'))
    rng = np.random.default_rng(1)
    solver = make_solver('dls', chain, position_tolerance=max(1e-6, 1e-9 * link * distance))
    for _ in range(robots.samples(5)):
        q = rng.uniform(-2.0, 2.0, chain.n_joints)
        q[:2] = distance * link / 0.3 * np.array([np.cos(q[2]), np.sin(q[2])])
        goal = Goal.from_pose(chain.forward(q))
        result = solver.solve(goal)
        assert result.success
        assert soak_checks.holds(chain, goal, solver.options, result.q)


@pytest.mark.parametrize('name', ['dls', 'ccd'])
def test_a_long_rail_is_travelled(name):
    chain = arm(0.3, robots.joint('rail', 'prismatic', 'base', 'cart', axis='1 0 0',
                                  limit='lower="0" upper="500" effort="1" velocity="1"'))
    goal = Goal(position=chain.forward([480.0, 0.3, 0.4, -0.5, 0.2, 0.6, 0.1])[:3, 3])
    solver = make_solver(name, chain, position_tolerance=1e-4)
    assert solver.solve(goal, np.full(7, 0.1)).success


def test_the_size_of_a_model_makes_no_difference():
    rng, solutions = np.random.default_rng(2), []
    values = [rng.uniform(-1.5, 1.5, 7) for _ in range(robots.samples(10))]
    for size in (1e-3, 1.0, 1e3):
        chain = arm(size, robots.joint(
            'lift', 'prismatic', 'base', 'cart',
            limit=f'lower="{-2 * size}" upper="{2 * size}" effort="1" velocity="1"'))
        scale = np.array([size, *[1.0] * 6])
        solver = make_solver('dls', chain, position_tolerance=1e-6 * size)
        solutions.append(np.array([solver.solve(chain.forward(q * scale), (q + 0.2) * scale).q
                                   / scale for q in values]))
    assert solutions[0] == pytest.approx(solutions[1], abs=1e-4)
    assert solutions[2] == pytest.approx(solutions[1], abs=1e-4)


def test_max_step_of_a_prismatic_joint_is_in_lengths_of_the_arm():
    chain = arm(0.5, robots.joint('rail', 'prismatic', 'base', 'cart', axis='1 0 0',
                                  limit='lower="-1" upper="1" effort="1" velocity="1"'))
    solver = make_solver('dls', chain, max_step=0.01, max_iterations=1, max_restarts=0)
    q = np.full(7, 0.3)
    goal = Goal(position=chain.forward(q)[:3, 3] + [0.5, 0.0, 0.0])
    moved = np.abs(solver.solve(goal, q).q - q)
    assert moved[0] <= 2 * 0.01 * solver.settings.length + 1e-12
    assert moved[1:].max() <= 2 * 0.01 + 1e-12


@pytest.mark.parametrize('axis', range(6))
def test_one_axis_of_many_joints_is_met(axis):
    axes = [AXES[k % 6] for k in range(22)]
    chain = arm(0.1, robots.joint('turn', 'continuous', 'base', 'cart'), axes)
    rng, weights = np.random.default_rng(3), np.eye(6)[axis]
    solver = make_solver('dls', chain)
    for _ in range(robots.samples(5)):
        T = chain.forward(rng.uniform(-2.5, 2.5, chain.n_joints))
        assert solver.solve(Goal.from_pose(T, weights)).success


@pytest.mark.parametrize('name', ['dls', 'pseudoinverse'])
def test_weights_cost_no_goal_that_can_be_met(name):
    chain, rng = robots.chain('panda'), np.random.default_rng(4)
    solver = make_solver(name, chain)
    for _ in range(robots.samples(40)):
        pose, start = chain.forward(robots.random_q(chain, rng)), robots.random_q(chain, rng)
        weights = 10.0 ** rng.uniform(-3.0, 3.0, 6)
        weighted = solver.solve(Goal.from_pose(pose, weights), start)
        assert weighted.success == solver.solve(pose, start).success


@pytest.mark.parametrize('seed', range(0, 40, 4))
def test_goals_of_generated_robots_are_met(seed):
    robot, rng = generate(seed), np.random.default_rng(seed)
    solver = make_solver('dls', robot.chain, position_tolerance=robot.position_tolerance)
    for _ in range(robots.samples(10)):
        weights = soak.WEIGHTS[rng.integers(len(soak.WEIGHTS))]
        goal = Goal.from_pose(robot.chain.forward(robot.configuration(rng)), weights)
        result = solver.solve(goal, robot.configuration(rng))
        assert result.success
        assert soak_checks.holds(robot.chain, goal, solver.options, result.q)


@pytest.mark.parametrize('name', ['dls', 'pseudoinverse', 'transpose', 'ccd'])
def test_a_search_that_finds_nothing_claims_nothing(name):
    chain = robots.planar(1.0, 0.8, limit=0.5)
    options = {} if name == 'dls' else {'max_iterations': 50, 'max_restarts': 5}
    for position in ([-1.0, 0.6, 0.0], [0.9, 0.5, 0.3]):
        result = make_solver(name, chain, **options).solve(Goal(position=position))
        assert result.reason in (StopReason.SINGULAR, StopReason.STALLED, StopReason.ITERATIONS)
