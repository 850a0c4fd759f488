"""Everything about a body at one q, from one forward pass: poses, Jacobians, mass."""

import numpy as np

from ik_node.kinematics.forward import tree_frames
from ik_node.kinematics.inertia import InertiaArrays, center_of_mass, mass_matrix
from ik_node.kinematics.jacobian import point_jacobian
from ik_node.model.body import Body

ORIGIN = np.zeros(3)
ORIGIN.flags.writeable = False


class BodyFrames:
    """The frames of a body at one q, for all who ask about that q. `update` moves them.

    - `body`; `q`: (n,) of the last update, rad or m.
    """

    def __init__(self, body: Body, q: np.ndarray) -> None:
        """Make room for the frames of a body, and compute those at q (n,), unchecked floats."""
        self.body = body
        self._arrays = body.arrays
        count = len(self._arrays.parent)
        self._T_world_link = np.empty((count, 4, 4))
        self._axes = np.empty((count, 3))
        self.update(q)

    def update(self, q: np.ndarray) -> None:
        """Compute the frames at q (n,), rad or m: one pass from the root."""
        self.q = q
        tree_frames(self._arrays, q, self._T_world_link, self._axes)

    def pose(self, link: str) -> np.ndarray:
        """Return T_world_link (4, 4), m: a view, valid until the next update."""
        return self._T_world_link[self.body.link_index(link)]

    def position(self, link: str, point: np.ndarray = ORIGIN) -> np.ndarray:
        """Return the position (3,), m, of a point (3,) of a link, in its frame, in the world."""
        T = self.pose(link)
        return T[:3, 3].copy() if point is ORIGIN else T[:3, :3] @ point + T[:3, 3]

    def jacobian(self, link: str, point: np.ndarray = ORIGIN) -> np.ndarray:
        """Return the Jacobian (6, n) of a point (3,) of a link; see `Body.jacobian`."""
        J = np.empty((6, self.body.n_joints))
        point_jacobian(self._arrays, self._T_world_link, self._axes, self.body.link_index(link),
                       point, J)
        return J

    def center_of_mass(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the centre of mass (3,), m, and its Jacobian (3, n). The mass must not be 0."""
        com, J = np.empty(3), np.empty((3, self.body.n_joints))
        center_of_mass(self._arrays, self.body.inertias, self._T_world_link, self._axes,
                       np.empty((len(self._axes), 4)), com, J)
        return com, J

    def mass_matrix(self, inertias: InertiaArrays | None = None) -> np.ndarray:
        """Return M (n, n); see `Body.mass_matrix`. inertias: by default those of the body."""
        M = np.empty((self.body.n_joints, self.body.n_joints))
        mass_matrix(self._arrays, self.body.inertias if inertias is None else inertias,
                    self._T_world_link, self._axes, np.empty_like(self._T_world_link), M)
        return M
