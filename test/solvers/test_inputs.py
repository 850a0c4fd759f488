"""Arguments of solvers: the same result for any kind of array, clear errors for the rest."""

import numpy as np
import pytest

import robots
from ik_node import IkError, KinematicTree, ModelError, make_solver
from ik_node.support.exceptions import UnsupportedError

SOLVERS = ['dls', 'ccd', 'auto', 'analytic']
Q = [0.3, -0.4, 0.5]


def arm():
    return robots.planar(0.4, 0.3, 0.2, limit=2.0)


def frozen(T):
    T = T.copy()
    T.flags.writeable = False
    return T


OTHERS = [np.asfortranarray, np.ndarray.tolist, frozen, lambda T: T.astype('>f8'),
          lambda T: np.repeat(T, 2, axis=0)[::2], lambda T: T.astype(np.longdouble),
          lambda T: T.astype(object)]


@pytest.mark.parametrize('name', SOLVERS)
def test_arrays_of_any_kind_and_memory_order_give_the_same_result(name):
    # Compiled kernels read arrays as C-contiguous floats, whatever they are.
    chain = arm()
    solver, T, q = make_solver(name, chain), chain.forward(Q), np.array(Q)
    poses = np.array([T, T])
    usual = solver.solve(T, q), solver.solve_batch(poses, q), solver.closest(T, q)
    branches = solver.solve_all(T) if name in ('auto', 'analytic') else None
    for other in OTHERS:
        start = other(q.reshape(3, 1))
        start = [row[0] for row in start] if isinstance(start, list) else start[:, 0]
        assert solver.solve(other(T), start).q.tolist() == usual[0].q.tolist()
        assert solver.solve_batch(other(poses), start).q.tolist() == usual[1].q.tolist()
        assert solver.closest(other(T), start).q.tolist() == usual[2].q.tolist()
        if branches is not None:
            assert solver.solve_all(other(T)).tolist() == branches.tolist()


@pytest.mark.parametrize('name', ['dls', 'ccd', 'pseudoinverse', 'transpose'])
@pytest.mark.parametrize('ask', [
    lambda solver: solver.solve_all(np.eye(4)), lambda solver: solver.solve_all_batch([np.eye(4)]),
    lambda solver: solver.redundancy_of(Q), lambda solver: solver.swivel_intervals(np.eye(4)),
    lambda solver: solver.redundancy_towards(np.eye(4), [0, 0, 1])])
def test_a_solver_without_branches_names_those_that_have_them(name, ask):
    with pytest.raises(UnsupportedError, match=f"^{name} has no .*'analytic', 'auto'"):
        ask(make_solver(name, arm()))


@pytest.mark.parametrize('name', ['analytic', 'optimization'])
def test_a_solver_without_steps_names_those_that_have_them(name):
    with pytest.raises(UnsupportedError, match=f"{name} has no step; .*'ccd', 'dls'"):
        make_solver(name, arm()).step(np.eye(4), Q)


@pytest.mark.parametrize('q', [[0.1], [0.1] * 4, np.zeros((3, 3)), np.zeros((3, 1))])
def test_redundancy_of_another_number_of_joints_is_refused(q):
    solver = make_solver('analytic', arm())
    with pytest.raises(IkError, match=r'q must have the shape \(3,\)'):
        solver.redundancy_of(q)


@pytest.mark.parametrize('bad', [np.diag([2.0, 2, 2, 1]), np.eye(4) * 1j, 'pose', [[1], [1, 2]],
                                 np.ma.masked_array(np.eye(4)), np.full((4, 4), np.nan), None])
def test_solve_closest_and_batches_refuse_a_goal_with_the_same_words(bad):
    solver, said = make_solver('dls', arm()), []
    for ask in (solver.solve, solver.closest, lambda goal: solver.step(goal, Q)):
        with pytest.raises(IkError) as caught:
            ask(bad)
        said.append(str(caught.value))
    assert len(set(said)) == 1
    with pytest.raises(IkError):
        solver.solve_batch([bad])


@pytest.mark.parametrize('ask', [
    lambda solver: solver.solve_all(np.eye(4), within_limits='yes'),
    lambda solver: solver.solve_all_batch([np.eye(4)], within_limits=np.ones(2)),
    lambda solver: solver.solve_batch([np.eye(4)], progress=3),
    lambda solver: solver.solve_batch([np.eye(4)], q0=[[1], [1, 2]]),
    lambda solver: solver.solve_all(np.eye(4), redundancy=10**400)])
def test_other_arguments_of_wrong_type_are_refused(ask):
    with pytest.raises(IkError):
        ask(make_solver('auto', arm()))


def test_limits_beyond_any_number_are_refused_and_one_of_them_counts_as_none():
    def limited(lower, upper):
        return robots.robot(robots.joint('j', 'revolute', 'base', 'tip',
                                         limit=f'lower="{lower}" upper="{upper}"'))
    for lower, upper in (('2e9', '3e9'), ('-3e9', '-2e9')):
        with pytest.raises(ModelError, match="joint 'j': its limits .* lie beyond"):
            KinematicTree.from_urdf(limited(lower, upper))
    chain = KinematicTree.from_urdf(limited('-3e9', '1')).chain()
    assert (chain.lower[0], chain.upper[0]) == (-np.inf, 1.0)
    with pytest.raises(ModelError, match='lie beyond'):
        KinematicTree.from_dh({'convention': 'standard', 'joints': [
            {'type': 'revolute', 'a': 1, 'alpha': 0, 'd': 0, 'theta': 0, 'lower': 2e9,
             'upper': 3e9}]})


def test_names_and_values_of_wrong_type_are_refused():
    tree = arm().tree
    for ask in (lambda: tree.chain(tip_link=[1]), lambda: tree.forward({'joint_1': 10**400}),
                lambda: tree.forward({'joint_1': 1j}), lambda: tree.forward({'joint_1': True}),
                lambda: tree.forward(np.zeros(3)), lambda: tree.chain().to_dh(np.array(['x', 'y'])),
                lambda: KinematicTree.from_urdf('<robot/>', xacro_args=3),
                lambda: KinematicTree.from_dh(np.array(3.0)), lambda: tree.leaves({}),
                lambda: KinematicTree(3, []), lambda: KinematicTree(['a'], ['j'])):
        with pytest.raises(IkError):
            ask()


def test_a_chain_takes_limits_of_its_own_length_only():
    chain = arm()
    for lower, upper in (([0.0], [1.0]), ([0.0] * 3, [-1.0] * 3), ([np.nan] * 3, [1.0] * 3),
                         ([np.inf] * 3, [np.inf] * 3), ('abc', [1.0] * 3)):
        with pytest.raises(IkError):
            chain.with_limits(lower, upper)
