"""Memetic evolution: each option counts, and pure evolution meets goals."""

import pickle

import numpy as np
import pytest

import robots
from ik_node import Goal, IkError, StopReason, make_solver
from ik_node.solvers.kernel.evolution import Judge, Population, uniform

COARSE = {'position_tolerance': 1e-2, 'orientation_tolerance': 1e-2}


def far_goal():
    """Return (chain, goal, start): a planar arm of five joints, its tip far from the goal."""
    chain = robots.planar(1.0, 0.8, 0.6, 0.4, 0.2, limit=2.0)
    pose = chain.forward([0.9, -0.7, 1.1, 0.4, -0.5])
    return chain, Goal(position=pose[:3, 3]), np.array([-1.5, 1.5, -1.5, 1.5, -1.5])


def evolved(**options):
    """Return the result of a few generations without local steps."""
    chain, goal, start = far_goal()
    return make_solver('genetic', chain, **{
        'local_search': False, 'generations': 6, 'max_restarts': 0, 'position_tolerance': 1e-9,
        **options}).solve(goal, start)


@pytest.mark.parametrize(('option', 'value'), [
    ('population', 7), ('elite', 2), ('mutation', 0.01), ('crossover', 0.9), ('momentum', 0.0),
    ('seed', 5), ('generations', 3)])
def test_each_option_changes_the_evolution(option, value):
    assert (evolved().q != evolved(**{option: value}).q).any()


def test_generations_bound_an_attempt_and_are_named_as_the_reason():
    result = evolved(generations=4)
    assert result.reason is StopReason.ITERATIONS
    assert result.iterations == 4


def test_the_least_cost_never_grows_from_one_generation_to_the_next():
    errors = [evolved(generations=count).position_error for count in (1, 3, 6, 12, 24)]
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] < 0.1 * errors[0]


def test_a_population_without_progress_is_wiped_out():
    chain = robots.planar(1.0, 0.8, limit=0.5)
    goal = Goal(position=[-1.0, 0.6, 0.0])  # only the limits forbid it
    counts = [make_solver('genetic', chain, local_search=False, generations=400, max_restarts=0,
                          wipeout=wipeout).solve(goal, np.zeros(2)).iterations
              for wipeout in (5, 1000)]
    assert counts[0] < counts[1] == 400


def test_without_local_search_no_derivative_is_followed():
    chain, goal, start = far_goal()
    memetic = make_solver('genetic', chain).solve(goal, start)
    pure = make_solver('genetic', chain, local_search=False).solve(goal, start)
    assert memetic.success
    assert memetic.iterations < 20 < pure.iterations


def test_with_local_search_the_solution_from_q0_is_that_of_dls():
    chain = robots.chain('ur5')
    q0 = np.array([0.3, -1.2, 1.1, 0.4, 0.9, 0.2])
    pose = chain.forward(q0 + 0.05)
    found = [make_solver(name, chain).solve(pose, q0).q for name in ('genetic', 'dls')]
    assert found[0] == pytest.approx(found[1], abs=1e-4)


@pytest.mark.parametrize('name', ['ur5', 'puma560'])
def test_pure_evolution_meets_poses(name):
    chain, rng, met = robots.chain(name), np.random.default_rng(70), 0
    solver = make_solver('genetic', chain, local_search=False, **COARSE)
    for _ in range(count := robots.samples(20)):
        pose = chain.forward(robots.random_q(chain, rng))
        met += solver.solve(pose, robots.random_q(chain, rng)).success
    assert met >= 0.9 * count


def test_prismatic_joints_and_mimics_evolve():
    for chain, q in ((robots.scara(), [0.3, 0.5, 0.12, -0.4]), (robots.mimicking(), [0.5, 0.9])):
        goal = Goal(position=chain.forward(q)[:3, 3])
        result = make_solver('genetic', chain, local_search=False,
                             position_tolerance=1e-3).solve(goal)
        assert result.success
        assert robots.inside(chain, result.q)


def test_a_step_is_one_generation_that_does_not_make_it_worse():
    chain, goal, start = far_goal()
    solver = make_solver('genetic', chain)
    after = start + solver.step(goal, start)
    assert (np.linalg.norm(goal.position - chain.forward(after)[:3, 3])
            < np.linalg.norm(goal.position - chain.forward(start)[:3, 3]))


def test_a_fitness_selects_among_the_configurations_that_meet_a_goal():
    chain, goal, start = far_goal()
    free = make_solver('genetic', chain).solve(goal, start)
    wanted = make_solver('genetic', chain, fitness=lambda q: abs(q[1] - 0.3), generations=5)
    result = wanted.solve(goal, start)
    assert result.success
    assert result.position_error <= 1e-6
    assert abs(result.q[1] - 0.3) < min(0.2, abs(free.q[1] - 0.3))
    for again in (wanted, pickle.loads(pickle.dumps(make_solver(
            'genetic', chain, fitness=np.linalg.norm, generations=2)))):
        assert again.solve(goal, start).success
    assert (wanted.solve(goal, start).q == result.q).all()
    batch = wanted.solve_batch(np.array([chain.forward(result.q)]), start)
    assert batch.success.all()
    assert wanted.solve(Goal(position=[9.0, 0.0, 0.0])).reason is StopReason.UNREACHABLE


@pytest.mark.parametrize('value', [np.nan, np.inf, None, 'a', [1.0, 2.0]])
def test_a_fitness_that_is_no_finite_number_is_refused(value):
    chain, goal, start = far_goal()
    with pytest.raises(IkError, match='genetic.fitness must return a finite number, not'):
        make_solver('genetic', chain, fitness=lambda q: value).solve(goal, start)


def test_what_a_fitness_raises_reaches_the_caller():
    chain, goal, start = far_goal()

    def fitness(q):
        raise RuntimeError('no opinion')
    solver = make_solver('genetic', chain, fitness=fitness)
    for _ in range(2):  # and leaves the solver as it was
        with pytest.raises(RuntimeError, match='no opinion'):
            solver.solve(goal, start)


def test_what_cannot_be_a_fitness_is_refused():
    chain = far_goal()[0]
    with pytest.raises(IkError, match='genetic.fitness must be a function of q, or None, not 3'):
        make_solver('genetic', chain, fitness=3)
    with pytest.raises(IkError, match='needs local_search'):
        make_solver('genetic', chain, fitness=np.sum, local_search=False)


def test_the_generator_is_that_of_its_source():
    people = Population(1, 1, Judge())
    people.state = 1
    for _ in range(10_000):
        uniform(people)
    assert people.state == 399268537  # the 10,000th number of MINSTD with the multiplier 48271
