"""Options of a human-like arm, checked and as an `ArmPreference`."""

import math

import numpy as np

from ik_node.model.chain import Chain
from ik_node.solvers.analytic.selection.arm_preference import ArmPreference
from ik_node.solvers.analytic.structure import Structure
from ik_node.solvers.options import ClosedFormOptions
from ik_node.support.exceptions import OptionError

_SHORT = 1e-9  # length of a direction that is none


def arm_preference(options: ClosedFormOptions, structure: Structure, chain: Chain,
                   owner: str) -> ArmPreference | None:
    """Return what options prefer of an arm of the family SWIVEL; None without more than `elbow`.

    owner: the name of the solver, for the messages. Raises OptionError for contradictory options,
    and for directions without length.
    """
    if (options.hand_axis is None and options.comfort_zone is None and options.torso_plane is None
            and options.torso_capsule is None):
        return None
    hand = options.hand_axis
    if hand is not None:
        if options.elbow is not None:
            raise OptionError(f'{owner}.hand_axis and {owner}.elbow both determine where the elbow '
                              'is: one of them must be None')
        hand = _unit(hand, f'{owner}.hand_axis')
    plane = np.zeros(6)
    if options.torso_plane is not None:
        plane[:3] = options.torso_plane[:3]
        plane[3:] = _unit(options.torso_plane[3:], f'{owner}.torso_plane[3:]')
    capsule = np.zeros(7) if options.torso_capsule is None else options.torso_capsule
    if options.torso_capsule is not None and not capsule[6] > 0.0:
        raise OptionError(f'{owner}.torso_capsule[6], the radius, must be above 0 m, not '
                          f'{capsule[6]:g}')
    elbow, wrist = _points(structure, chain)
    return ArmPreference(options.elbow, hand, elbow, wrist,
                         _comfort_zone(chain, options.comfort_zone), plane, capsule)


def _comfort_zone(chain: Chain, part: np.ndarray | float | None) -> tuple[np.ndarray, np.ndarray]:
    """Return (lower, upper), (n,) each: the given part of the limits about their middle."""
    lower, upper = np.full(chain.n_joints, -math.inf), np.full(chain.n_joints, math.inf)
    if part is not None:
        bounded = np.isfinite(chain.lower) & np.isfinite(chain.upper)
        inside = 0.5 * (1.0 - np.broadcast_to(part, chain.n_joints)[bounded])
        span = chain.upper[bounded] - chain.lower[bounded]
        lower[bounded] = chain.lower[bounded] + inside * span
        upper[bounded] = chain.upper[bounded] - inside * span
    return lower, upper


def _points(structure: Structure, chain: Chain) -> tuple[np.ndarray, np.ndarray]:
    """Return the elbow point in the frame after joint 4, the wrist in the tip's, (3,) each, m."""
    s, p, h, w = structure.points[0], structure.points[3], structure.axes[3], structure.points[4]
    elbow = p + h * (h @ (s - p))  # nearest to the shoulder on axis 4
    T = np.linalg.multi_dot(chain.arrays.placement[:4])
    own = np.linalg.solve(T, np.append(elbow, 1.0))[:3]
    return own, structure.T_tip_base[:3, :3] @ w + structure.T_tip_base[:3, 3]


def _unit(direction: np.ndarray, name: str) -> np.ndarray:
    """Return a direction (3,) as a unit vector. Raises OptionError for zero."""
    length = float(np.linalg.norm(direction))
    if not length > _SHORT:
        raise OptionError(f'{name} must be a direction, not {direction.tolist()}')
    return direction / length
