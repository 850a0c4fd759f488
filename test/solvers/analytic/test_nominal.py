"""Branches of nominal arms by each family: they meet the pose, and one of them is the given q."""

import numpy as np
import pytest

import robots
from ik_node import KinematicTree, make_solver
from ik_node.solvers.analytic.recognition import recognise
from ik_node.solvers.analytic.recognition.nominal import GENERAL, PLANAR_FREE

RIGHT = np.pi / 2

# a, alpha, d and theta of each joint, which is 0 where it is left out; and their kinds
WRIST = [(0, RIGHT, .4), (0, -RIGHT, 0), (0, 0, .1)]
ARMS = {
    'spherical wrist': ([(0, -RIGHT, .3), (.4, 0, .1), (.1, -RIGHT, 0), *WRIST], 'RRRRRR'),
    'spherical wrist behind offsets': (
        [(.1, -RIGHT, .3), (.4, .2, .1), (.1, -RIGHT, 0), *WRIST], 'RRRRRR'),
    'spherical shoulder': (
        [(0, -RIGHT, 0), (0, RIGHT, 0), (.3, -1, .2), (.4, .3, .1), (.2, -RIGHT, .1), (.1, 0, .1)],
        'RRRRRR'),
    'spherical wrist, one prismatic': (
        [(0, -RIGHT, .4), (0, RIGHT, .1), (0, 0, .5), *WRIST], 'RRPRRR'),
    'spherical wrist, two prismatic': (
        [(0, 0, .2), (0, -RIGHT, .4), (0, 0, .5), *WRIST], 'RPPRRR'),
    'spherical wrist, three prismatic': (
        [(0, -RIGHT, .4, -RIGHT), (0, RIGHT, .4, RIGHT), (0, 0, .5), *WRIST], 'PPPRRR'),
    'spherical wrist on a rail': (
        [(0, -RIGHT, .4), (0, -RIGHT, 0), (.4, 0, .1), (.1, -RIGHT, 0), *WRIST], 'PRRRRRR'),
    'parallel triple': (
        [(0, RIGHT, .1), (-.4, 0, 0), (-.4, 0, 0), (0, RIGHT, .1), (0, -RIGHT, .1), (0, 0, .1)],
        'RRRRRR'),
    'parallel triple at the base': (
        [(.4, 0, .1), (.4, 0, 0), (.1, -.8, .1), (.2, .9, .1), (.1, 1.2, 0), (0, .5, .1)],
        'RRRRRR'),
    'parallel triple and a prismatic joint': (
        [(0, .9, .1), (.4, 0, 0), (.4, 0, 0), (.1, 1.2, .1), (.2, -.8, .1), (0, 0, .1)], 'PRRRRR'),
    'planar': ([(.4, 0, 0), (.3, 0, 0), (.2, 0, 0)], 'RRR'),
    'planar, axes opposite': ([(.4, np.pi, .1), (.3, 0, .1), (.2, np.pi, 0)], 'RRR'),
    'planar, four joints': ([(.4, 0, 0), (.3, 0, 0), (.2, 0, 0), (.1, 0, 0)], 'RRRR'),
    'scara': ([(.4, 0, .3), (.3, np.pi, 0), (0, 0, .1), (0, 0, .1)], 'RRPR'),
    'general': (
        [(.3, 1.1, .2), (.2, -.8, .3), (.4, 1.3, .1), (.1, -1.2, .3), (.2, .9, .1), (.3, .5, .2)],
        'RRRRRR')}


def arm_of(rows, kinds):
    return KinematicTree.from_dh({'convention': 'standard', 'joints': [
        {'name': f'j{i}', 'type': 'revolute' if kind == 'R' else 'prismatic', 'a': float(a),
         'alpha': float(alpha), 'd': float(d), 'theta': sum(theta, 0.0), 'lower': -3.0,
         'upper': 3.0}
        for i, ((a, alpha, d, *theta), kind) in enumerate(zip(rows, kinds))]}).chain()


def off(chain, found, q):
    """Return the largest differences of joint values (k,), whole turns aside."""
    by = found - q
    by -= np.where(chain.arrays.turns, 2 * np.pi * np.round(by / (2 * np.pi)), 0.0)
    return np.abs(by).max(axis=1)


@pytest.mark.parametrize('name', ARMS)
def test_branches_meet_the_pose_and_one_is_where_the_arm_stands(name):
    chain = arm_of(*ARMS[name])
    plan = make_solver('analytic', chain)._whole
    arm, rng = plan.structure.closed_form(), np.random.default_rng(1)
    loss = 1e-6 if plan.structure.family == GENERAL else 1e-9
    for _ in range(robots.samples(20)):
        q = rng.uniform(-1.0, 1.0, chain.n_joints)
        pose = chain.forward(q)
        found = arm.branches(pose[None], arm.parameters_at(q), q)
        assert off(chain, found, q).min() < loss
        near = [branch for branch in found if np.abs(chain.forward(branch) - pose).max() < loss]
        assert len(near) == len(found) or plan.structure.family == GENERAL


def test_a_free_angle_of_the_tip_is_the_parameter_of_a_planar_arm():
    chain = robots.planar(1.0, 0.8, 0.5)
    structure = make_solver('analytic', chain)._whole.structure
    arm, q = structure._replace(family=PLANAR_FREE).closed_form(), np.array([0.3, -0.8, 1.1])
    pose = chain.forward(np.array([0.3, -0.8, 2.0]))  # of another angle
    pose[:3, 3] = chain.forward(q)[:3, 3]
    found = arm.branches(pose[None], np.array([q.sum()]), q)
    assert len(found) == 2
    assert off(chain, found, q).min() < 1e-12
    for branch in found:
        assert branch.sum() == pytest.approx(q.sum(), abs=1e-12)
        assert chain.forward(branch)[:3, 3] == pytest.approx(pose[:3, 3], abs=1e-12)


@pytest.mark.parametrize(('q', 'reference', 'others'), [
    ([-0.4, -0.2, -0.2, -0.6, 0.0, 0.0], 2.9, 0), ([1.0, 0.8, -0.3, 0.0, 0.0, 0.1], -1.6, 2)])
def test_a_joint_beside_a_parallel_triple_turns_into_reach_where_it_is_free(q, reference, others):
    # Axis 6 is parallel to the triple: it may stand anywhere, but must bring the wrist into reach.
    chain = arm_of(*ARMS['parallel triple'])
    structure = make_solver('analytic', chain)._whole.structure
    pose = chain.forward(np.array(q))
    found = structure.closed_form().branches(pose[None], np.zeros(0), np.full(6, reference))
    aligned = [branch for branch in found if abs(branch[4]) < 1e-6]
    assert aligned
    assert len(found) == len(aligned) + others
    for branch in aligned:
        assert chain.forward(branch) == pytest.approx(pose, abs=1e-6)


def test_poses_follow_one_another_and_lengths_must_fit():
    chain = arm_of(*ARMS['spherical wrist'])
    arm = make_solver('analytic', chain)._whole.structure.closed_form()
    poses = np.array([chain.forward(q) for q in np.random.default_rng(2).uniform(-1, 1, (3, 6))])
    found = arm.branches(poses, np.zeros(0), np.zeros(6))
    each = [arm.branches(pose[None], np.zeros(0), np.zeros(6)) for pose in poses]
    assert (found == np.concatenate(each)).all()
    for wrong in ((poses[:, :3].copy(), np.zeros(0), np.zeros(6)),
                  (poses, np.zeros(1), np.zeros(6)), (poses, np.zeros(0), np.zeros(5))):
        with pytest.raises(ValueError, match='lengths'):
            arm.branches(*wrong)


def test_a_closed_form_that_does_not_recover_configurations_is_refused():
    chain = robots.chain('ur5')
    structure, T = recognise.recognise(chain).structure, chain.forward(np.zeros(6))
    for place in range(4):  # of the first joint of the triple
        proved = recognise._proves_right(structure._replace(place=place), T, has_filler=False)
        assert proved == (place == structure.place)
