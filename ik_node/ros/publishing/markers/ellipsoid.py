"""The manipulability ellipsoid: the velocities of the tip by direction."""

import numpy as np
from geometry_msgs.msg import Vector3
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker

from ik_node.model.chain import Chain
from ik_node.ros.conversions import array_to_point, matrix_to_pose
from ik_node.ros.publishing.markers.shapes import marker

_COLOR = ColorRGBA(r=0.75, g=0.55, b=1.0, a=0.8)
_SEGMENTS = 36     # of each ellipse
_SHOWN = 0.2       # of the arm's size: a semi-axis whose singular value is the arm's size
# Of the arm's size, bounds of a semi-axis: a degenerate ellipsoid stays visible as a disc.
_THINNEST, _LONGEST = 0.002, 0.3
_WIDTH = 0.005     # of the lines


def _unit_circles() -> np.ndarray:
    """Return the ends (k, 3) of lines along the circles about x, y and z."""
    angles = np.linspace(0.0, 2.0 * np.pi, _SEGMENTS + 1)
    circle = np.column_stack([np.cos(angles), np.sin(angles), np.zeros(_SEGMENTS + 1)])
    lines = np.stack([circle[:-1], circle[1:]], axis=1).reshape(-1, 3)
    return np.concatenate([np.roll(lines, shift, axis=1) for shift in range(3)])


_CIRCLES = _unit_circles()


def velocity_ellipsoid(chain: Chain, q: np.ndarray, size: float) -> tuple[np.ndarray, np.ndarray]:
    """Return axes R (3, 3), one a column, right-handed, and semi-axes (3,), m, at q (n,).

    The ellipsoid {J_v q̇ : |q̇| ≤ 1}: its axes are the eigenvectors of J_v J_vᵀ, its semi-axes the
    roots of the eigenvalues [Yoshikawa, Int. J. Robotics Research 4 (1985) 3]. The column of a
    prismatic joint is scaled by the arm's size, m; semi-axes are zero where the tip cannot move.
    """
    J_v = chain.jacobian(q)[:3] * np.where(chain.prismatic, size, 1.0)
    U, sigma, _ = np.linalg.svd(J_v)
    if np.linalg.det(U) < 0.0:
        U[:, 2] = -U[:, 2]
    semi_axes = np.zeros(3)
    semi_axes[:len(sigma)] = sigma
    return U, semi_axes


def ellipsoid_markers(frame: str, namespace: str, chain: Chain, q: np.ndarray,
                      size: float) -> list[Marker]:
    """Return the ellipsoid about the tip at q (n,); size: of the arm, m.

    Only the three ellipses about its axes are drawn, so that a handle inside can be grasped.
    """
    T = chain.forward(q)
    T[:3, :3], semi_axes = velocity_ellipsoid(chain, q, size)
    shown = np.clip(_SHOWN * semi_axes, _THINNEST * size, _LONGEST * size)
    return [marker(frame, namespace, 0, Marker.LINE_LIST, pose=matrix_to_pose(T), color=_COLOR,
                   scale=Vector3(x=_WIDTH * size),
                   points=[array_to_point(p) for p in _CIRCLES * shown])]
