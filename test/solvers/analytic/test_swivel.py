"""7R arms by the swivel angle: every posture, and which angles the limits allow."""

from typing import NamedTuple

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import robots
from ik_node import Chain, KinematicTree
from ik_node.kinematics.axes import axes_at_zero
from ik_node.solvers.analytic.swivel import (
    SWIVEL_MOST,
    SWIVEL_SCRATCH,
    swivel_branch,
    swivel_of,
    swivel_postures,
    swivel_towards,
)
from ik_node.solvers.analytic.swivel_intervals import (
    INTERVAL_SCRATCH,
    MOST_INTERVALS,
    swivel_intervals,
)
from ik_node.solvers.analytic.vector3 import motion_of

SLACK = 1e-9


class Arm(NamedTuple):
    """A 7R arm: its chain, and its axes at zero with shoulder and wrist exact."""

    chain: Chain
    axes: np.ndarray
    points: np.ndarray
    T_tip_base: np.ndarray

    def motion(self, T):
        return motion_of(T @ self.T_tip_base)

    def swivel(self, q):
        return swivel_of(self.axes, self.points, np.asarray(q, float))

    def branch(self, q):
        return swivel_branch(self.axes, self.points, q)

    def postures(self, T, psi, start=None):
        """Return every posture (k, 7) of a pose and a swivel angle."""
        out = np.full((SWIVEL_MOST, 7), np.nan)
        count = swivel_postures(self.axes, self.points, self.motion(T), psi,
                                np.zeros(7) if start is None else np.asarray(start, float), 1.0,
                                SLACK, np.zeros(SWIVEL_SCRATCH), out)
        return out[:count]

    def intervals(self, T, lower=None, upper=None):
        """Return rows (elbow, shoulder, wrist, from, to)."""
        out = np.zeros((MOST_INTERVALS, 5))
        count = swivel_intervals(
            self.axes, self.points, self.motion(T),
            self.chain.lower if lower is None else np.asarray(lower, float),
            self.chain.upper if upper is None else np.asarray(upper, float), 1.0, SLACK,
            np.zeros(INTERVAL_SCRATCH), out)
        return out[:count]


def arm_of(axes, points, tip, lower, upper):
    """Return an arm of given axes, its link frames parallel to the base at zero."""
    axes = np.array([np.divide(h, np.linalg.norm(h)) for h in axes])
    points = np.array(points, float)
    parts, parent, at = [], 'base', np.zeros(3)
    for j in range(7):
        kind, limit = ('continuous', '') if np.isinf(lower[j]) else (
            'revolute', f'lower="{lower[j]!r}" upper="{upper[j]!r}" effort="1" velocity="1"')
        parts.append(robots.joint(f'j{j}', kind, parent, f'l{j}', xyz=numbers(points[j] - at),
                                  axis=numbers(axes[j]), limit=limit))
        parent, at = f'l{j}', points[j]
    parts.append(robots.joint('end', 'fixed', parent, 'tip', xyz=numbers(np.array(tip) - at)))
    return arm_with(KinematicTree.from_urdf(robots.robot(*parts)).chain(), axes, points)


def arm_with(chain, axes, points):
    return Arm(chain, axes, points, np.linalg.inv(chain.forward(np.zeros(7))))


def numbers(v):
    return ' '.join(repr(float(x)) for x in v)


def iiwa():
    """Return KUKA's arm, the half millimetre put right by which its file's axes 1 and 3 miss."""
    chain = robots.chain('iiwa14')
    points, axes = axes_at_zero(chain.arrays)
    points[:3], points[4:7] = [0, 0, 0.36], points[5]
    return arm_of(axes, points[:7], points[7], [float(x) for x in chain.lower],
                  [float(x) for x in chain.upper])


def own_7r():
    chain = KinematicTree.from_urdf(robots.OWN / 'arm_7r.urdf').chain()
    points, axes = axes_at_zero(chain.arrays)
    points[:3], points[4:7] = points[1], points[5]
    return arm_with(chain, axes, points[:7])


def human():
    """Return a right arm that hangs at zero, x forward [after Tolani, Goswami & Badler 2000]."""
    s, elbow, w = [0, -0.2, 0], [0, -0.2, -0.31], [0, -0.2, -0.56]
    return arm_of([(0, -1, 0), (1, 0, 0), (0, 0, 1), (0, -1, 0), (0, 0, 1), (1, 0, 0), (0, 1, 0)],
                  [s, s, s, elbow, w, w, w], [0, -0.2, -0.65],
                  [-1.0, -2.8, -1.5, 0.0, -1.4, -0.4, -1.2], [3.0, 0.8, 0.9, 2.5, 1.4, 0.6, 1.2])


def skewed():
    """Return an arm with no axes at right angles, an elbow off the line, and odd limits."""
    s, w = [0.1, 0.0, 0.3], [0.05, -0.06, 0.8]
    return arm_of([(0, 0, 1), (0.2, 1, 0.3), (0.3, -0.2, 1), (0.5, 1, 0.2), (0.1, 0.2, 1),
                   (1, 0.3, 0.2), (0.2, -0.4, 1)], [s, s, s, [0.08, 0.05, 0.55], w, w, w],
                  [0.07, -0.03, 0.92], [-2.5, 1.0, -9.0, -2.6, -np.inf, -7.0, -1.0],
                  [0.5, 5.0, -5.5, 2.6, np.inf, -3.0, 2.9])


ARMS = {'iiwa14': iiwa, 'human': human, 'skewed': skewed}
each_arm = pytest.mark.parametrize('make', ARMS.values(), ids=ARMS.keys())


def apart(a, b):
    """Return how far angles are apart, whole turns aside."""
    return np.abs(np.remainder(np.subtract(a, b) + np.pi, 2 * np.pi) - np.pi)


def elbow_point(arm, q):
    """Return the foot of the shoulder on axis 4, carried by joints 1 to 3."""
    s, h = arm.points[0], arm.axes[3]
    foot = arm.points[3] - s
    foot = foot - h * (h @ foot)
    for j in (2, 1, 0):
        foot = Rotation.from_rotvec(q[j] * arm.axes[j]).apply(foot)
    return s + foot


def wrist_place(arm, T):
    M = T @ arm.T_tip_base
    return M[:3, :3] @ arm.points[4] + M[:3, 3]


def inside(q, lower, upper):
    """Tell whether some whole turns bring every joint inside its limits."""
    some = np.isfinite(upper)
    return bool((np.remainder((q - lower)[some], 2 * np.pi) <= (upper - lower)[some]).all())


def meets(arm, posture, T, within=1e-9):
    return np.abs(arm.chain.forward(posture) - T).max() < within


def covers(rows, branch, psi):
    return any((r[:3] == branch).all() and np.remainder(psi - r[3], 2 * np.pi) <= r[4] - r[3]
               for r in rows)


@each_arm
def test_a_posture_is_found_again_by_its_pose_and_its_swivel_angle(make):
    arm, rng = make(), np.random.default_rng(700)
    for _ in range(robots.samples(2000)):
        q = robots.random_q(arm.chain, rng)
        T, psi = arm.chain.forward(q), arm.swivel(q)
        found = arm.postures(T, psi)
        assert apart(found, q).max(axis=1).min() < 1e-8
        for posture in found:
            assert meets(arm, posture, T)
            assert apart(arm.swivel(posture), psi) < 1e-8


@each_arm
def test_postures_of_any_swivel_angle_are_all_different_and_one_for_each_branch(make):
    arm, rng = make(), np.random.default_rng(701)
    for _ in range(robots.samples(200)):
        T = arm.chain.forward(robots.random_q(arm.chain, rng))
        psi = rng.uniform(-np.pi, np.pi)
        found = arm.postures(T, psi)
        if make is not skewed:
            assert len(found) == 8
        branches = [arm.branch(q) for q in found]
        assert branches == sorted(set(branches), reverse=True)
        for posture in found:
            assert meets(arm, posture, T)
            assert apart(arm.swivel(posture), psi) < 1e-8


@each_arm
def test_the_swivel_angle_is_the_elbows_from_the_side_of_axis_1(make):
    arm, rng = make(), np.random.default_rng(702)
    for _ in range(robots.samples(200)):
        q = robots.random_q(arm.chain, rng)
        s, psi = arm.points[0], arm.swivel(q)
        line = wrist_place(arm, arm.chain.forward(q)) - s
        line /= np.linalg.norm(line)
        sides = [v - line * (line @ v) for v in (arm.axes[0], elbow_point(arm, q) - s)]
        up, out = (v / np.linalg.norm(v) for v in sides)
        assert Rotation.from_rotvec(psi * line).apply(up) == pytest.approx(out, abs=1e-9)


def test_an_elbow_above_the_line_to_the_wrist_is_at_zero_and_one_below_at_half_a_turn():
    arm = own_7r()
    assert arm.swivel([0.3, 0.8, 0, 1.0, 0.4, 0.5, 0.2]) == pytest.approx(0.0, abs=1e-12)
    assert arm.swivel([0.3, 1.8, 0, -1.0, 0.4, 0.5, 0.2]) == pytest.approx(np.pi, abs=1e-12)
    assert arm.branch(np.array([0.3, 0.8, 0, 1.0, 0.4, -0.5, 0.2])) == (1, 1, -1)
    assert arm.branch(np.array([0.3, -0.8, 0, -1.0, 0.4, 0.5, 0.2])) == (-1, -1, 1)


@each_arm
def test_a_hint_brings_the_elbow_point_nearest(make):
    arm, rng = make(), np.random.default_rng(703)
    for _ in range(robots.samples(100)):
        q = robots.random_q(arm.chain, rng)
        T = arm.chain.forward(q)
        M = arm.motion(T)
        own = swivel_towards(arm.axes, arm.points, M, elbow_point(arm, q))
        assert apart(own, arm.swivel(q)) < 1e-8
        hint = arm.points[0] + rng.normal(size=3)
        best = swivel_towards(arm.axes, arm.points, M, hint)
        found = arm.postures(T, best)
        for posture in found:  # farther on either side
            distances = []
            for step in (-1e-3, 0.0, 1e-3, 1.5, 3.0, 4.5):
                beside = arm.postures(T, best + step)
                same = [elbow_point(arm, p) for p in beside
                        if arm.branch(p)[0] == arm.branch(posture)[0]]
                distances += [np.linalg.norm(e - hint) for e in same[:1]]
            assert np.linalg.norm(elbow_point(arm, posture) - hint) <= min(distances) + 1e-12


@pytest.mark.parametrize('make', [*ARMS.values(), own_7r], ids=[*ARMS.keys(), 'arm_7r'])
def test_intervals_are_what_trying_many_swivel_angles_shows(make):
    arm, rng = make(), np.random.default_rng(704)
    signs = [(a, b, c) for a in (1, -1) for b in (1, -1) for c in (1, -1)]
    shown = 0
    for _ in range(robots.samples(6)):
        T = arm.chain.forward(robots.random_q(arm.chain, rng))
        rows = arm.intervals(T)
        for psi in rng.uniform(-np.pi, np.pi, robots.samples(600)):
            allowed = {arm.branch(q) for q in arm.postures(T, psi)
                       if inside(q, arm.chain.lower, arm.chain.upper)}
            assert allowed == {branch for branch in signs if covers(rows, branch, psi)}
            shown += len(allowed)
    assert shown > 0


@each_arm
def test_a_posture_within_the_limits_is_within_an_interval_of_its_branch(make):
    arm, rng = make(), np.random.default_rng(705)
    for _ in range(robots.samples(1000)):
        q = robots.random_q(arm.chain, rng)
        rows = arm.intervals(arm.chain.forward(q))
        assert covers(rows, arm.branch(q), arm.swivel(q))
        assert (rows[:, 3] >= -np.pi).all()
        assert (rows[:, 3] <= np.pi).all()
        assert (rows[:, 3] < rows[:, 4]).all()
        assert (rows[:, 4] <= rows[:, 3] + 2 * np.pi + 1e-15).all()


@each_arm
def test_at_the_ends_of_an_interval_a_joint_stands_at_a_limit_or_the_branch_ends(make):
    arm, rng = make(), np.random.default_rng(706)
    some = np.isfinite(arm.chain.upper)
    lower, upper = (np.where(some, limit, 0.0) for limit in (arm.chain.lower, arm.chain.upper))
    seen = 0
    for _ in range(robots.samples(100)):
        T = arm.chain.forward(robots.random_q(arm.chain, rng))
        for row in arm.intervals(T):
            if row[4] - row[3] > 2 * np.pi - 1e-9:
                continue
            for psi, inwards in ((row[3], 1e-10), (row[4], -1e-10)):
                near = [q for q in arm.postures(T, psi + inwards)
                        if arm.branch(q) == tuple(row[:3])]
                assert len(near) == 1
                off = min(apart(near[0], limit)[some].min()
                          for limit in (lower, upper))
                ends = len(arm.postures(T, psi - 1e4 * inwards)) != len(
                    arm.postures(T, psi + 1e4 * inwards))
                assert off < 1e-7 or ends
                seen += 1
    assert seen > 0


def test_limits_mean_the_same_whole_turns_on_and_none_leave_every_branch_whole():
    arm, rng = iiwa(), np.random.default_rng(707)
    for _ in range(robots.samples(100)):
        T = arm.chain.forward(robots.random_q(arm.chain, rng))
        turns = 2 * np.pi * rng.integers(-2, 3, 7)
        rows = arm.intervals(T)
        assert arm.intervals(T, arm.chain.lower + turns,
                             arm.chain.upper + turns) == pytest.approx(rows, abs=1e-9)
        for limit in (np.inf, np.pi, 4.0):
            free = arm.intervals(T, np.full(7, -limit), np.full(7, limit))
            assert free[:, :3].tolist() == [[a, b, c] for a in (1, -1) for b in (1, -1)
                                            for c in (1, -1)]
            assert (free[:, 3:] == [-np.pi, np.pi]).all()


SINGULAR = {
    'wrist': [0.3, 0.7, -0.4, 1.1, 0.5, 0.0, -0.6],
    'shoulder': [0.3, 0.0, -0.4, 1.1, 0.5, 0.8, -0.6],
    'both': [0.3, 0.0, -0.4, 1.1, 0.5, 0.0, -0.6],
    'elbow': [0.3, 0.7, -0.4, 0.0, 0.5, 0.8, -0.6],
    'elbow and wrist': [0.3, 0.7, -0.4, 0.0, 0.5, 0.0, -0.6],
    'elbow and shoulder': [0.3, 0.0, -0.4, 0.0, 0.5, 0.8, -0.6],
    'all': [0.3, 0.0, -0.4, 0.0, 0.5, 0.0, -0.6],
    'wrist above the shoulder': [0.3, -0.5, 0.0, 1.0, 0.5, 0.8, -0.6],
    'zero': [0.0] * 7,
}


@pytest.mark.parametrize('q', SINGULAR.values(), ids=SINGULAR.keys())
@pytest.mark.parametrize('make', [own_7r, human], ids=['arm_7r', 'human'])
def test_singular_poses_have_finite_postures_that_meet_them(make, q):
    arm = make()
    T = arm.chain.forward(q)
    found = arm.postures(T, arm.swivel(q), q)
    assert len(found) > 0
    for psi in (arm.swivel(q), 0.0, 1.0, -2.0, np.pi):
        found = arm.postures(T, psi, q)
        assert len(found) > 0
        for posture in found:  # to half of the digits: near a double root
            assert meets(arm, posture, T, 1e-7)
    assert np.isfinite(arm.intervals(T)).all()


@pytest.mark.parametrize('q', [SINGULAR['wrist'], SINGULAR['shoulder'], SINGULAR['both']],
                         ids=['wrist', 'shoulder', 'both'])
def test_where_axes_fall_together_the_start_is_kept(q):
    arm = own_7r()
    found = arm.postures(arm.chain.forward(q), arm.swivel(q), q)
    assert apart(found, q).max(axis=1).min() < 1e-6


def test_a_stretched_elbow_has_the_swivel_angle_that_a_slightly_bent_one_has():
    arm, bent = own_7r(), np.array([0.3, 0.7, -0.4, 1e-3, 0.5, 0.8, -0.6])
    assert apart(arm.swivel(bent), arm.swivel(SINGULAR['elbow'])) < 1e-3


def test_an_arm_straight_up_shares_the_swivel_angle_between_joints_1_and_3():
    # Bent towards +x by axis 4 = +y, the elbow stays behind, at −x: ψ = π + θ1 + θ3 from x.
    arm = own_7r()
    free = [np.inf] * 4
    limits = np.array([0.5, 1.0, 0.3, *free])
    rows = arm.intervals(arm.chain.forward([0.1, 0, 0.1, 0, 0.2, 0, 0]), -limits, limits)
    assert rows[0, 3:] == pytest.approx([np.pi - 0.8, np.pi + 0.8], abs=1e-7)


@each_arm
def test_poses_out_of_reach_have_no_posture(make):
    arm = make()
    T = arm.chain.forward(np.zeros(7))
    T[:3, 3] += [3.0, 0.0, 0.0]
    assert len(arm.postures(T, 0.3)) == 0
    assert len(arm.intervals(T)) == 0


def wrist_beside_the_shoulder(arm, aside):
    T = arm.chain.forward(np.zeros(7))
    T[:3, 3] += arm.points[0] - arm.points[4] + [aside, 0.0, 0.0]
    return T


def test_a_wrist_nearer_than_an_arm_folds_up_has_none():
    assert len(human().postures(wrist_beside_the_shoulder(human(), 0.05), 0.3)) == 0


def test_links_of_one_length_fold_up_until_the_wrist_is_on_the_shoulder():
    arm = own_7r()
    T = wrist_beside_the_shoulder(arm, 1e-3)
    found = arm.postures(T, 0.3)
    assert len(found) == 8
    for posture in found:
        assert meets(arm, posture, T)
    assert len(arm.postures(wrist_beside_the_shoulder(arm, 0.0), 0.3)) == 0


def test_an_elbow_axis_through_the_shoulder_or_the_wrist_gives_none():
    arm = own_7r()
    T = arm.chain.forward([0.3, 0.8, 0.2, 1.0, 0.4, 0.5, 0.2])
    for place in (arm.points[0], arm.points[4]):
        other = arm._replace(points=np.vstack([arm.points[:3], [place], arm.points[4:]]))
        assert len(other.postures(T, 0.3)) == 0
        assert len(other.intervals(T)) == 0
