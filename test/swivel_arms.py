"""7R arms with exact shoulder and wrist, as the kernels of the swivel angle want them."""

from typing import NamedTuple

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import robots
from ik_node import Chain, KinematicTree
from ik_node.kinematics.structures import axes_at_zero
from ik_node.solvers.analytic.families.swivel_intervals import Intervals
from ik_node.solvers.analytic.recognition.nominal import SWIVEL, Structure

SLACK = 1e-9


class Arm(NamedTuple):
    """A 7R arm: its chain, and its axes at zero with shoulder and wrist exact."""

    chain: Chain
    axes: np.ndarray
    points: np.ndarray
    T_tip_base: np.ndarray

    def family(self):
        """Return its closed form."""
        joints = np.zeros(7), np.arange(7), np.full(7, -1)
        return Structure(SWIVEL, 0, 1.0, SLACK, self.T_tip_base, *joints, self.axes,
                         self.points).closed_form()

    def swivel(self, q):
        angle, = self.family().parameters_at(np.asarray(q, float))
        return angle

    def branch(self, q):
        """Return the signs of elbow, shoulder and wrist, as `Swivel.solve` says what they are."""
        h, s, p, w = self.axes, self.points[0], self.points[3], self.points[4]
        u, v = s - p, w - p
        farthest = np.arctan2(-u @ np.cross(h[3], v), (h[3] @ u) * (h[3] @ v) - u @ v)
        turns = [(q[3], farthest)]
        for j in (1, 5):
            across = h[j + 1] - h[j] * (h[j] @ h[j + 1])
            nearest = np.arctan2(h[j - 1] @ np.cross(h[j], h[j + 1]), h[j - 1] @ across)
            turns.append((q[j], nearest))
        return tuple(1 if np.sin(turn - zero) >= 0.0 else -1 for turn, zero in turns)

    def configurations(self, T, psi, start=None):
        """Return every configuration (k, 7) of a pose and a swivel angle."""
        start = np.zeros(7) if start is None else np.asarray(start, float)
        return self.family().branches(T[None], np.array([psi]), start)

    def intervals(self, T, lower=None, upper=None):
        """Return rows (elbow, shoulder, wrist, from, to)."""
        return Intervals().within(self.family(), T, self.chain.lower if lower is None else lower,
                                  self.chain.upper if upper is None else upper, 0.0)


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
    chain = robots.chain('arm_7r')
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


def meets(arm, configuration, T, within=1e-9):
    return np.abs(arm.chain.forward(configuration) - T).max() < within
