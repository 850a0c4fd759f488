import pickle

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import robots
from ik_node import IkError, InputError, KinematicTree, make_solver, solver_names

TOOL = np.eye(4)
TOOL[:3, :3] = Rotation.from_euler('xyz', [0.4, -1.1, 2.0]).as_matrix()
TOOL[:3, 3] = 0.05, -0.02, 0.13
ARMS = {'arm_6r': None, 'arm_7r': None, 'planar_3r': None, 'torso': 'left_tool0'}


def chains(name):
    tree = robots.tree(name)
    return tree.chain(tip_link=ARMS[name]), tree.chain(tip_link=ARMS[name], tool=TOOL)


@pytest.mark.parametrize('name', ARMS)
def test_forward_kinematics_and_the_jacobian_are_of_the_tool(name):
    plain, chain = chains(name)
    rng = np.random.default_rng(3)
    for _ in range(20):
        q = robots.random_q(plain, rng)
        T = plain.forward(q)
        assert chain.forward(q) == pytest.approx(T @ TOOL, abs=1e-12)
        # A point at r from the tip has the velocity v + ω × r.
        J, r = plain.jacobian(q), T[:3, :3] @ TOOL[:3, 3]
        J[:3] += np.cross(J[3:].T, r).T
        assert chain.jacobian(q) == pytest.approx(J, abs=1e-12)


@pytest.mark.parametrize('solver', solver_names())
def test_goals_of_every_solver_are_of_the_tool(solver):
    plain, chain = chains('arm_7r')
    q = robots.random_q(plain, np.random.default_rng(5), inside=0.5)
    loose = {'position_tolerance': 1e-4, 'orientation_tolerance': 1e-4}
    result = make_solver(solver, chain, **loose, **robots.needed(solver, chain)).solve(
        plain.forward(q) @ TOOL, q + 0.05)
    assert result.success
    assert plain.forward(result.q) == pytest.approx(plain.forward(q), abs=5e-4)


def test_every_branch_is_that_of_the_tip():
    plain, chain = chains('arm_6r')
    q = robots.random_q(plain, np.random.default_rng(6), inside=0.5)
    found, expected = (make_solver('analytic', one).solve_all(one.forward(q))
                       for one in (chain, plain))
    assert len(found) == len(expected) > 2
    assert found[np.lexsort(found.T)] == pytest.approx(expected[np.lexsort(expected.T)], abs=1e-6)


def test_other_forms_of_the_chain_keep_the_tool():
    plain, chain = chains('arm_6r')
    q = robots.random_q(plain, np.random.default_rng(7))
    T = plain.forward(q) @ TOOL
    rows = KinematicTree.from_dh(chain.to_dh('modified')).chain()
    for other in (rows, chain.without_limits(), pickle.loads(pickle.dumps(chain))):
        assert other.forward(q) == pytest.approx(T, abs=1e-9)
    assert chain.tool == pytest.approx(TOOL, abs=1e-15)
    assert np.array_equal(plain.tool, np.eye(4))
    assert 'with a tool' in repr(chain)
    assert 'tool' not in repr(plain).replace('tool0', '')


def test_a_tool_with_a_rounded_rotation_becomes_exact_and_is_copied():
    tool = TOOL.round(7)
    chain = chains('arm_6r')[0].tree.chain(tool=tool)
    tool[:] = 0.0
    R = chain.tool[:3, :3]
    assert R @ R.T == pytest.approx(np.eye(3), abs=1e-14)
    assert chain.tool == pytest.approx(TOOL, abs=1e-6)
    with pytest.raises(ValueError, match='read-only'):
        chain.tool[0, 0] = 2.0


@pytest.mark.parametrize(('tool', 'reason'), [
    (np.eye(3), r'tool must be a pose of the shape \(4, 4\), not \(3, 3\)'),
    ('gripper', 'tool must be numbers'),
    (np.full((4, 4), np.nan), 'tool must be finite'),
    (np.diag([1.0, 1.0, -1.0, 1.0]), 'tool is no pose: .* it mirrors'),
    (np.diag([2.0, 2.0, 2.0, 1.0]), 'tool is no pose: .* it scales'),
    (np.eye(4) + 1e200 * np.eye(4, k=3), 'tool: its position must be at most')])
def test_a_wrong_tool_is_refused_with_the_reason(tool, reason):
    tree = chains('arm_6r')[0].tree
    with pytest.raises(InputError, match=reason) as error:
        tree.chain(tool=tool)
    assert isinstance(error.value, IkError)
