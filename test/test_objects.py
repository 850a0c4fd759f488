"""Trees, chains, goals, solvers and results: pickled, copied, immutable, and printed."""

import copy
import multiprocessing
import pickle
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest

import robots
from ik_node import Goal, KinematicTree, StopReason, make_solver
from ik_node.model.joints import Joint
from ik_node.support.exceptions import (
    IkError,
    InputError,
    ModelError,
    MotionError,
    OptionError,
    UnsupportedError,
)

Q = np.array([0.3, -0.4, 0.5])


def pickled(one):
    return pickle.loads(pickle.dumps(one))


ROUND_TRIPS = pytest.mark.parametrize('again', [pickled, copy.deepcopy, copy.copy])


def arm():
    return robots.planar(0.4, 0.3, 0.2, limit=2.0)


def goal(chain):
    return Goal.from_pose(chain.forward(Q), [1, 1, 0, 0, 0, 1])


@ROUND_TRIPS
def test_a_tree_is_the_same_after_a_round_trip(again):
    tree = robots.mimicking().tree.placed(robots.planar(0.4, 0.3).forward([0.1, 0.2]))
    other = again(tree)
    assert (other.root, other.links, other.name) == (tree.root, tree.links, tree.name)
    assert list(other.joints) == list(tree.joints)
    assert other.to_urdf() == tree.to_urdf()
    for link, pose in tree.forward({'a': 0.3, 'b': 0.2}).items():
        assert other.forward({'a': 0.3, 'b': 0.2})[link].tolist() == pose.tolist()
    with pytest.raises(AttributeError, match="KinematicTree is immutable: 'root' cannot be set"):
        other.root = 'tip'
    with pytest.raises(TypeError):
        other.joints['b'] = None
    with pytest.raises(ValueError, match='read-only'):
        other.joints['b'].placement[0, 0] = 2.0


@ROUND_TRIPS
def test_a_chain_keeps_its_limits_and_stays_read_only_after_a_round_trip(again):
    chain = arm().with_limits([-1.0] * 3, [0.5, np.inf, 2.0])
    other = again(chain)
    assert other.joint_names == chain.joint_names
    assert other.upper.tolist() == [0.5, np.inf, 2.0]
    assert other.forward(Q).tolist() == chain.forward(Q).tolist()
    assert other.tree.links == chain.tree.links
    for array in (other.lower, other.upper, *other.arrays):
        with pytest.raises(ValueError, match='read-only'):
            array[0] = 0
    with pytest.raises(AttributeError, match='immutable'):
        other.lower = np.zeros(3)
    with pytest.raises(AttributeError, match='immutable'):
        del other.lower


@ROUND_TRIPS
def test_a_goal_is_the_same_to_the_last_bit_after_a_round_trip(again):
    for one in (goal(arm()), Goal([1, 2, 3]), Goal(orientation=[0.1, 0.2, 0.3, 0.4])):
        other = again(one)
        assert other.pose.tobytes() == one.pose.tobytes()
        assert other.weights.tolist() == one.weights.tolist()
        assert (other.position is None) == (one.position is None)
        assert (other.orientation is None) == (one.orientation is None)
        with pytest.raises(ValueError, match='read-only'):
            other.pose[0, 3] = 1.0
        with pytest.raises(ValueError, match='read-only'):
            other.weights[0] = 0.0
        with pytest.raises(AttributeError):
            other.pose = np.eye(4)
        with pytest.raises(AttributeError):
            other.tolerance = 1.0


def test_a_goal_copies_what_it_is_given():
    T, weights = arm().forward(Q), np.ones(6)
    one, whole = Goal.from_pose(T, weights), Goal.from_pose(T)
    before = T.copy()
    T[:], weights[:] = 0.0, 0.0
    assert one.pose.tolist() == whole.pose.tolist() == before.tolist()
    assert one.weights.tolist() == [1.0] * 6
    for array in (whole.position, whole.orientation, whole.pose, whole.weights):
        assert not array.flags.writeable


def test_a_goal_moved_elsewhere_leaves_the_same_axes_free():
    chain = arm()
    there = Goal([1, 2, 3], weights=[1, 1, 0, 0, 0, 0]).moved_to(chain.forward(Q))
    assert there.position.tolist() == chain.forward(Q)[:3, 3].tolist()
    assert there.orientation is None
    assert there.weights.tolist() == [1, 1, 0, 0, 0, 0]
    with pytest.raises(IkError, match='scales'):
        there.moved_to(np.diag([2.0, 2.0, 2.0, 1.0]))


@ROUND_TRIPS
def test_a_result_keeps_its_chain_and_goals_after_a_round_trip(again):
    chain = arm()
    result = make_solver('dls', chain).solve(goal(chain), [0.1] * 3)
    other = again(result)
    assert other == result
    assert (other != result) is False
    assert other.reason is StopReason.CONVERGED
    assert other.manipulability == result.manipulability
    assert other.chain.joint_names == chain.joint_names


def test_a_result_with_a_field_replaced_keeps_the_rest():
    chain = arm()
    result = make_solver('auto', chain).solve(goal(chain), [0.1] * 3)
    other = result._replace(reason=StopReason.TIMEOUT, success=False)
    assert (other.reason, other.success) == (StopReason.TIMEOUT, False)
    assert other.q is result.q
    assert (other.chain, other.goals, other.method) == (result.chain, result.goals, result.method)
    assert other != result
    assert result.reason is StopReason.CONVERGED
    for name in ('q', 'reason', 'chain', 'method', 'other'):
        with pytest.raises(AttributeError):
            setattr(result, name, None)


def test_what_is_printed_is_short_and_says_what_happened():
    chain = arm()
    solver = make_solver('dls', chain)
    text = repr(solver.solve(goal(chain), Q))
    assert text.startswith('Result(CONVERGED, q=[ 0.3, -0.4,  0.5], ')
    assert '\n' not in text
    assert 'position_error=' in text
    poses = np.array([chain.forward(Q)] * 9 + [np.eye(4)])
    poses[9, :3, 3] = 5.0
    text = repr(solver.solve_batch(poses))
    assert text.startswith('Result(batch of 10, 9 met: 9 CONVERGED, 1 UNREACHABLE; largest errors')
    assert repr(solver.solve_batch(np.empty((0, 4, 4)))) == 'Result(batch of 0, 0 met)'
    assert repr(chain.tree) == (
        "KinematicTree('test': 5 links from 'base' to 'tip', 3 moving joints)")
    long = KinematicTree([f'l{i}' for i in range(301)], [
        Joint(f'j{i}', 'continuous', f'l{i}', f'l{i + 1}') for i in range(300)])
    assert len(repr(long)) < 200
    assert len(repr(long.chain())) < 500
    assert repr(make_solver('ccd', chain, seed=3)).endswith('seed=3)')


@pytest.mark.parametrize('error', [
    IkError('a'), ModelError('b'), InputError('c'), OptionError('d'),
    UnsupportedError('e', 'found'), UnsupportedError('f', found='g'), MotionError('h', 0.5),
    ModelError('long ' * 5000)])
def test_errors_keep_all_they_say_after_a_round_trip(error):
    for other in (pickled(error), copy.deepcopy(error)):
        assert type(other) is type(error)
        assert str(other) == str(error)
        assert vars(other) == vars(error)


def test_arrays_of_a_joint_are_copies_and_read_only():
    placement = np.eye(4)
    joint = Joint('j', 'revolute', 'a', 'b', placement)
    placement[0, 3] = 7.0
    assert joint.placement[0, 3] == 0.0
    for one in (joint, pickled(joint), copy.deepcopy(joint)):
        with pytest.raises(ValueError, match='read-only'):
            one.placement[0, 3] = 1.0
        with pytest.raises(ValueError, match='read-only'):
            one.axis[0] = 1.0


@pytest.mark.slow
def test_solvers_and_results_pass_to_and_from_spawned_processes():
    chain = arm()
    solver = make_solver('auto', chain)
    here = solver.solve(goal(chain), [0.1] * 3)  # compiles for both where nothing is cached
    # An executor fails where a worker dies; a pool would wait for ever.
    with ProcessPoolExecutor(1, multiprocessing.get_context('spawn')) as pool:
        there = pool.submit(solver.solve, goal(chain), [0.1] * 3).result(timeout=300)
        with pytest.raises(IkError, match='goal position must have the shape'):
            pool.submit(Goal, [1, 2]).result(timeout=300)
    assert there._replace(solve_time=0.0) == here._replace(solve_time=0.0)
    assert there.smallest_singular_value == here.smallest_singular_value
