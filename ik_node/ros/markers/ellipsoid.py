"""The manipulability ellipsoid: how fast the tip can go which way."""

import numpy as np
from geometry_msgs.msg import Vector3
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker

from ik_node.model.chain import Chain
from ik_node.ros.conversions import matrix_to_pose
from ik_node.ros.markers.shapes import marker

_COLOR = ColorRGBA(r=0.65, g=0.45, b=0.9, a=0.35)
_SHOWN = 0.2       # of the arm's size: a semi-axis whose singular value is the arm's size
# Of the arm's size, between which a semi-axis stays: a flat ellipsoid is a disc, yet to be seen.
_THINNEST, _LONGEST = 0.002, 0.3


def velocity_ellipsoid(chain: Chain, q: np.ndarray, size: float) -> tuple[np.ndarray, np.ndarray]:
    """Return axes R (3, 3), one a column, right-handed, and semi-axes (3,), m, at q (n,).

    The ellipsoid {J_v q̇ : |q̇| ≤ 1}: its axes are the eigenvectors of J_v J_vᵀ, its semi-axes the
    roots of the eigenvalues [Yoshikawa, Int. J. Robotics Research 4 (1985) 3]. A slide counts by
    the arm's size, m, so that its column is in m, too; zero where the tip cannot go that way.
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
    """Return the ellipsoid about the tip at q (n,); size: of the arm, m."""
    T = chain.forward(q)
    T[:3, :3], semi_axes = velocity_ellipsoid(chain, q, size)
    x, y, z = np.clip(_SHOWN * semi_axes, _THINNEST * size, _LONGEST * size)
    return [marker(frame, namespace, 0, Marker.SPHERE, pose=matrix_to_pose(T), color=_COLOR,
                   scale=Vector3(x=2.0 * x, y=2.0 * y, z=2.0 * z))]
