"""The shortest path over a ladder, against every sequence of candidates."""

import itertools
import math

import numpy as np
import pytest

from ik_node.solvers.path.shortest_path import Rungs


def selected(rungs, most, widest=False, cost=None, cyclic=False, anchored=False,
             deadline=math.inf, left_out=()):
    """Return the candidates chosen in rungs of one joint, and the value of the kernel."""
    q = np.concatenate([np.asarray(rung, float) for rung in rungs])[:, None]
    first = np.cumsum([0, *map(len, rungs)])
    value, chosen = Rungs(
        q, first, np.zeros(len(q)) if cost is None else np.asarray(cost, float),
        np.array([cyclic]), np.ones(1), np.array(left_out, int).reshape(-1, 2)).shortest_path(
            most, anchored, widest, deadline)
    return [math.nan if k < 0 else q[k, 0] for k in chosen], value


@pytest.mark.parametrize('widest', [False, True])
def test_no_sequence_is_better(widest):
    rng = np.random.default_rng(0)
    for _ in range(20):
        rungs = [rng.uniform(0.0, 1.0, 3) for _ in range(5)]
        path, value = selected(rungs, 10.0, widest)
        steps = [np.diff(sequence) for sequence in itertools.product(*rungs)]
        least = min(np.abs(step).max() if widest else (step * step).sum() for step in steps)
        own = np.diff(path)
        assert (np.abs(own).max() if widest else (own * own).sum()) == pytest.approx(least)
        assert value == pytest.approx(least)


def test_the_step_from_where_the_path_begins_is_of_any_size():
    rungs = [[5.0], [0.0, 9.5], [0.1, 9.7]]
    assert selected(rungs, 0.5)[0] == [5.0, 0.0, 0.1]  # after a break, whose length does not count
    path, value = selected(rungs, 0.5, anchored=True)
    assert path == [5.0, 9.5, 9.7]
    assert value == pytest.approx(4.5 ** 2 + 0.2 ** 2)
    path, value = selected(rungs, 0.5, widest=True, anchored=True)
    assert path == [5.0, 0.0, 0.1]
    assert value == pytest.approx(0.1)


def test_breaks_are_as_few_as_possible_and_as_late_as_possible():
    path, _ = selected([[0.0, 5.0], [0.1], [0.2, 5.0], [5.1], [5.2]], 0.5)
    assert path == [0.0, 0.1, 0.2, 5.1, 5.2]


def test_after_the_deadline_a_long_search_goes_on_from_the_best_candidate_alone():
    rungs, cost = [np.linspace(0.0, 1.0, 320)] * 3, np.full(960, 1e-3)
    cost[[7, 900]] = 0.0
    path, value = selected(rungs, 1.0, cost=cost)
    assert value == pytest.approx(2e-3, abs=1e-9)  # stays at one of these two
    late, value = selected(rungs, 1.0, cost=cost, deadline=0.0)
    assert late[0] == rungs[0][7]
    assert value == pytest.approx(2e-3)
    assert selected(rungs[:2], 1.0, cost=cost[:640], deadline=0.0)[0] == [late[0]] * 2
    assert path == [path[0]] * 3


def test_candidates_have_costs_of_their_own():
    assert selected([[0.0], [0.1, 0.2], [0.3]], 1.0)[0] in ([0.0, 0.1, 0.3], [0.0, 0.2, 0.3])
    assert selected([[0.0], [0.1, 0.2], [0.3]], 1.0, cost=[0, 1, 0, 0])[0][1] == 0.2
    assert selected([[0.0], [0.1, 0.2], [0.3]], 1.0, cost=[0, 0, 1, 0])[0][1] == 0.1


def test_steps_over_a_pose_without_candidates_have_no_limit():
    path, _ = selected([[0.0], [], [0.9, 3.0]], 0.5)
    assert path[0] == 0.0
    assert math.isnan(path[1])
    assert path[2] == 0.9


def test_whole_turns_of_a_cyclic_joint_do_not_count():
    assert selected([[3.0], [-3.0, 2.0]], 0.5, cyclic=True)[0] == [3.0, -3.0]
    assert selected([[3.0], [-3.0, 2.0]], 2.0)[0] == [3.0, 2.0]


@pytest.mark.parametrize('widest', [False, True])
def test_no_sequence_without_the_steps_that_are_left_out_is_better(widest):
    rng = np.random.default_rng(1)
    for _ in range(20):
        rungs = [rng.uniform(0.0, 1.0, 3) for _ in range(5)]
        left_out = [(3 * i + p, 3 * i + 3 + c) for i in range(4) for p in range(3)
                    for c in range(3) if rng.uniform() < 0.4 and (p, c) != (1, 1)]
        _, value = selected(rungs, 10.0, widest, left_out=left_out)
        least = math.inf
        for places in itertools.product(range(3), repeat=5):
            if not any((3 * i + a, 3 * i + 3 + b) in left_out
                       for i, (a, b) in enumerate(itertools.pairwise(places))):
                step = np.diff([rung[k] for rung, k in zip(rungs, places)])
                least = min(least, np.abs(step).max() if widest else (step * step).sum())
        assert value == pytest.approx(least)


def test_a_step_that_is_left_out_is_a_break():
    assert selected([[0.0], [0.1], [0.2]], 1.0, left_out=[(0, 1)])[0] == [0.0, 0.1, 0.2]
    assert selected([[0.0], [0.1, 0.9], [1.0]], 1.0, left_out=[(0, 1)])[0] == [0.0, 0.9, 1.0]
