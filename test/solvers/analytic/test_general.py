"""General 6R arms: no posture an independent search finds is missing, whatever the geometry."""

import itertools

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import robots
from ik_node.solvers.analytic.families import loop_6r
from ik_node.solvers.analytic.recognition.nominal import EXACT_SLACK, GENERAL, Structure
from plain_kernels import plain

RIGHT = np.pi / 2
PLAIN_EIGENVALUES, PLAIN = plain('support.eigenvalues', 'solvers.analytic.families.loop_6r')


def turn(axis, point, angles):
    """Return the turns (k, 4, 4) by angles (k,) about a line: x ↦ R x + (1 − R) p."""
    T = np.tile(np.eye(4), (len(angles), 1, 1))
    T[:, :3, :3] = Rotation.from_rotvec(np.outer(angles, axis)).as_matrix()
    T[:, :3, 3] = point - T[:, :3, :3] @ point
    return T


def forward(arm, q):
    """Return the products of exponentials (k, 4, 4) of joint values (k, 6)."""
    T = np.eye(4)
    for axis, point, angles in zip(*arm, q.T):
        T = T @ turn(axis, point, angles)
    return T


def jacobian(arm, q):
    """Return the spatial Jacobians (k, 6, 6), linear part first, and the forward kinematics."""
    T, columns = np.tile(np.eye(4), (len(q), 1, 1)), []
    for axis, point, angles in zip(*arm, q.T):
        omega, at = T[:, :3, :3] @ axis, T[:, :3, :3] @ point + T[:, :3, 3]
        columns.append(np.hstack([np.cross(at, omega), omega]))
        T = T @ turn(axis, point, angles)
    return np.stack(columns, axis=2), T


def newton(arm, goal, q, steps=40, longest=0.5):
    """Return those of the starts (k, 6) that Newton's method brings to the goal, solved."""
    for _ in range(steps):
        J, T = jacobian(arm, q)
        omega = Rotation.from_matrix(goal[:3, :3] @ T[:, :3, :3].transpose(0, 2, 1)).as_rotvec()
        linear = goal[:3, 3] - T[:, :3, 3] - np.cross(omega, T[:, :3, 3])
        twist = np.hstack([linear, omega])
        # A damping that dies with the error, so that it costs no convergence.
        damping = np.minimum(np.sum(twist ** 2, axis=1), 1e-4)[:, None, None] + 1e-15
        A = J.transpose(0, 2, 1) @ J + damping * np.eye(6)
        step = np.linalg.solve(A, J.transpose(0, 2, 1) @ twist[:, :, None])[:, :, 0]
        size = np.abs(step).max(axis=1, keepdims=True)
        q = q + step * np.minimum(1.0, longest / np.maximum(size, 1e-300))
    return q[np.abs(forward(arm, q) - goal).max(axis=(1, 2)) < 1e-8]


def apart(a, b):
    """Return the largest difference of joint values, rad, whole turns aside."""
    return np.abs(np.angle(np.exp(1j * (a - b)))).max(axis=-1)


def distinct(found):
    kept = []
    for q in found:
        if all(apart(q, other) > 1e-4 for other in kept):
            kept.append(q)
    return kept


def candidates(arm, goal, loop_6r=loop_6r):
    structure = Structure(GENERAL, 0, 1.0, EXACT_SLACK, np.eye(4), np.zeros(6), np.arange(6),
                          np.full(6, -1), *arm)
    family = loop_6r.GeneralArm(structure)
    return family.branches(goal[None], np.zeros(0), np.zeros(6))


def configurations(arm, goal):
    found = candidates(arm, goal)
    return distinct(newton(arm, goal, found, steps=15)) if len(found) else []


def is_among(q, found):
    return any(apart(q, other) < 1e-4 for other in found)


def missing(expected, found):
    """Return those of the expected joint values that were not found."""
    return [q for q in expected if not is_among(q, found)]


def arm_of(a, d, alpha):
    """Return axes and points (6, 3) at q = 0 of an arm by Denavit and Hartenberg."""
    T, axes, points = np.eye(4), [], []
    for length, offset, twist in zip(a, d, alpha):
        axes.append(T[:3, 2])
        points.append(T[:3, 3])
        c, s = np.cos(twist), np.sin(twist)
        T = T @ [[1, 0, 0, length], [0, c, -s, 0], [0, s, c, offset], [0, 0, 0, 1]]
    return np.array(axes), np.array(points)


def general_arm(rng):
    return arm_of(*random_rows(rng))


def random_rows(rng):
    sign = rng.choice([-1, 1], (3, 6))
    return (rng.uniform(0.1, 1, 6) * sign[0], rng.uniform(0.1, 1, 6) * sign[1],
            rng.uniform(0.3, np.pi - 0.3, 6) * sign[2])


def special_arm(rng, meet=(), parallel=(), right=False, flat=()):
    """Return an arm some of whose neighbouring axes meet or are parallel, all else at random."""
    a, d, alpha = random_rows(rng)
    if right:
        alpha = RIGHT * np.sign(alpha)
    a[list(meet)] = 0.0
    alpha[list(parallel)] = rng.choice([0.0, np.pi], len(parallel))
    d[list(flat)] = 0.0
    return arm_of(a, d, alpha)


ARMS = {
    'UR5': arm_of([0, -.425, -.39225, 0, 0, 0], [.089159, 0, 0, .10915, .09465, .0823],
                  [RIGHT, 0, 0, RIGHT, -RIGHT, 0]),
    'Puma 560': arm_of([0, .4318, .0203, 0, 0, 0], [.67, 0, .15, .4318, 0, .0563],
                       [RIGHT, 0, -RIGHT, RIGHT, -RIGHT, 0]),
    'CRX-10iA': arm_of([0, .54, 0, 0, 0, 0], [.245, 0, 0, .54, .15, .16],
                       [-RIGHT, np.pi, -RIGHT, RIGHT, -RIGHT, 0]),
    'Gen3 lite': arm_of([0, .28, 0, 0, 0, 0], [.2433, .03, .02, .245, .057, .235],
                        [RIGHT, np.pi, RIGHT, RIGHT, RIGHT, 0]),
}

# Which pairs of neighbours: every single and every two, but for two parallel pairs in a row, which
# are three parallel axes.
PLACES = [()] + [(i,) for i in range(5)] + list(itertools.combinations(range(5), 2))
STRUCTURES = [(meet, parallel, right) for meet in PLACES for parallel in PLACES
              for right in (False, True)
              if not set(meet) & set(parallel) and np.all(np.diff(parallel) > 1)]


KNOWN_SOLUTIONS = 86  # of the twenty poses below, as 2,000 starts each find them


@pytest.mark.slow
def test_every_solution_a_newton_search_finds_is_among_the_candidates():
    rng = np.random.default_rng(80)
    found = 0
    for _ in range(20):
        arm = general_arm(rng)
        goal = forward(arm, rng.uniform(-np.pi, np.pi, (1, 6)))[0]
        expected = distinct(newton(arm, goal, rng.uniform(-np.pi, np.pi, (300, 6))))
        own = configurations(arm, goal)
        assert not missing(expected, own)
        found += len(own)
    assert found == KNOWN_SOLUTIONS


def test_the_arm_of_manseur_and_doty_has_sixteen_configurations():
    # The first arm known to have them, with twists of a degree only [Manseur & Doty, Int. J.
    # Robotics Research 8 (1989) 75]; the pose is the one of Manocha & Canny's example.
    a, d, alpha = [.3, 1, 0, 1.5, 0, 0], [0, 0, .2, 0, 0, 0], np.radians([90, 1, 90, 1, 90, 1])
    arm = arm_of(a, d, alpha)
    pose = np.array([[-.760117, -.641689, .102262, -1.140175], [.133333, 0, .991071, 0],
                     [-.635959, .766965, .085558, 0], [0, 0, 0, 1]])
    pose[:3, :3] = Rotation.from_matrix(pose[:3, :3]).as_matrix()  # of six digits
    at_zero = np.eye(4)
    for length, offset, twist in zip(a, d, alpha):
        c, s = np.cos(twist), np.sin(twist)
        at_zero = at_zero @ [[1, 0, 0, length], [0, c, -s, 0], [0, s, c, offset], [0, 0, 0, 1]]
    assert len(configurations(arm, pose @ np.linalg.inv(at_zero))) == 16


@pytest.mark.parametrize('structures', [
    STRUCTURES[::8], pytest.param(STRUCTURES, marks=pytest.mark.slow)], ids=len)
def test_the_joint_values_of_a_pose_are_found_whichever_axes_meet_or_are_parallel(structures):
    rng = np.random.default_rng(82)
    assert len(STRUCTURES) == 226
    for meet, parallel, right in structures:
        arm = special_arm(rng, meet, parallel, right, flat=rng.permutation(6)[:2])
        q = rng.uniform(-np.pi, np.pi, 6)
        goal = forward(arm, q[None])[0]
        near = candidates(arm, goal)
        assert apart(q, near).min() < 1e-6 or is_among(q, configurations(arm, goal))


@pytest.mark.parametrize('name', robots.rest_slow(ARMS, 'UR5', 'CRX-10iA'))
def test_every_solution_of_an_arm_on_the_market_is_found(name):
    rng = np.random.default_rng(83)
    arm = ARMS[name]
    for _ in range(5):
        goal = forward(arm, rng.uniform(-np.pi, np.pi, (1, 6)))[0]
        own = configurations(arm, goal)
        assert len(own) % 2 == 0
        assert not missing(distinct(newton(arm, goal, rng.uniform(-np.pi, np.pi, (200, 6)))), own)


@pytest.mark.parametrize('name', robots.rest_slow(ARMS, 'UR5', 'CRX-10iA'))
def test_a_tool_that_points_along_the_first_axis_hides_no_configuration(name):
    # There no two neighbours of an arm whose axes all meet or are parallel can be eliminated.
    rng = np.random.default_rng(84)
    axes, points = arm = ARMS[name]
    seen = 0
    for _ in range(5):
        goal = forward(arm, rng.uniform(-np.pi, np.pi, (1, 6)))[0]
        wrist = goal[:3, :3] @ points[5] + goal[:3, 3]
        tilt, _ = Rotation.align_vectors(axes[:1], (goal[:3, :3] @ axes[5])[None])
        goal[:3, :3] = tilt.as_matrix() @ goal[:3, :3]
        goal[:3, 3] = wrist - goal[:3, :3] @ points[5]
        found = distinct(newton(arm, goal, rng.uniform(-np.pi, np.pi, (100, 6))))
        regular = [q for q in found if np.linalg.svd(jacobian(arm, q[None])[0][0])[1][-1] > 1e-3]
        own = configurations(arm, goal)
        assert not missing(regular, own)
        seen += len(regular)
    assert seen > 10


def test_two_roots_about_to_meet_are_both_found():
    rng = np.random.default_rng(85)
    for offset in (1e-2, 1e-3):
        for _ in range(robots.samples(20)):
            arm = general_arm(rng)
            # Between joint values of unlike det J there is a singular posture.
            q0, q1 = rng.uniform(-np.pi, np.pi, (2, 6))
            sign = np.linalg.det(jacobian(arm, q0[None])[0][0])
            while np.linalg.det(jacobian(arm, q1[None])[0][0]) * sign > 0:
                q1 = rng.uniform(-np.pi, np.pi, 6)
            for _ in range(60):
                middle = 0.5 * (q0 + q1)
                if np.linalg.det(jacobian(arm, middle[None])[0][0]) * sign > 0:
                    q0 = middle
                else:
                    q1 = middle
            null = np.linalg.svd(jacobian(arm, q0[None])[0][0])[2][-1]
            goal = forward(arm, (q0 + offset * null)[None])[0]
            near = candidates(arm, goal)
            # About q0 the two lie opposite to each other, but for terms of the second order.
            assert apart(q0 + offset * null, near).min() < 0.1 * offset
            assert apart(q0 - offset * null, near).min() < 0.6 * offset


def test_candidates_are_exact_to_a_millionth_whatever_the_scale_and_the_choice_of_points():
    rng = np.random.default_rng(86)
    for scale, slide, count in ((1.0, 0.0, 150), (1e-3, 0.0, 20), (1e3, 0.0, 20), (1.0, 5.0, 20)):
        for _ in range(robots.samples(count)):
            axes, points = general_arm(rng)
            arm = axes, scale * points + slide * rng.uniform(-1, 1, (6, 1)) * axes
            q = rng.uniform(-np.pi, np.pi, 6)
            assert apart(q, candidates(arm, forward(arm, q[None])[0])).min() < 1e-6


def test_any_finite_arm_and_pose_gets_finite_candidates_or_none():
    rng = np.random.default_rng(87)
    axes, points = general_arm(rng)
    goal = forward((axes, points), rng.uniform(-np.pi, np.pi, (1, 6)))[0]
    far, wild = goal.copy(), 1e3 * rng.standard_normal((4, 4))
    far[:3, 3] *= 100.0
    assert len(candidates((axes, points), far)) == 0
    for arm in ((axes, points), (axes, 0.0 * points), (np.tile(axes[0], (6, 1)), points),
                (np.eye(3)[[2, 1, 1, 0, 1, 0]], np.round(points)), (0.0 * axes, points),
                (axes, 1e150 * points), (axes, 1e-150 * points), (axes, 1e300 * points)):
        for pose in (goal, far, wild, np.eye(4), 0.0 * goal):
            found = candidates(arm, pose)
            assert np.isfinite(found).all()
            assert np.abs(found).max(initial=0.0) <= np.pi + 1e-12


def test_uncompiled_kernels_find_the_same_candidates():
    arm = ARMS['Puma 560']
    goal = forward(arm, np.array([[0.3, -1.1, 0.7, 1.9, -0.8, 2.5]]))[0]
    found = candidates(arm, goal)
    assert len(distinct(newton(arm, goal, found, steps=15))) == 8
    assert candidates(arm, goal, PLAIN) == pytest.approx(found, abs=1e-9)


def eigenvalues(A):
    """Return the eigenvalues of A (16, 16) that were found, by the uncompiled kernel."""
    real, imaginary = [0.0] * 16, [0.0] * 16
    count = PLAIN_EIGENVALUES.eigenvalues(A.tolist(), real, imaginary)
    return np.array(real[:count]) + 1j * np.array(imaginary[:count])


def test_eigenvalues_are_those_of_lapack():
    rng = np.random.default_rng(88)
    for _ in range(robots.samples(25)):
        A = rng.standard_normal((16, 16))
        expected, found = np.linalg.eigvals(A), eigenvalues(A)
        assert len(found) == 16
        for value in found:
            assert np.abs(value - expected).min() < 1e-10


def test_eigenvalues_of_matrices_without_an_easy_shift_are_found():
    roots_of_unity = eigenvalues(np.roll(np.eye(16), 1, axis=0))
    assert np.abs(roots_of_unity) == pytest.approx(np.ones(16), abs=1e-12)
    assert not eigenvalues(np.zeros((16, 16))).real.any()
    assert len(eigenvalues(np.zeros((16, 16)))) == 16
    assert len(eigenvalues(np.full((16, 16), np.nan))) == 0
