"""Everything about a body at one q, from one forward pass: poses, Jacobians, mass."""

import numpy as np

from ik_node.kinematics.tree import Tree
from ik_node.kinematics.tree_frames import TreeFrames
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
        self._frames = TreeFrames(body.record)
        self._T_world_link = self._frames.T_world_link
        self.update(q)

    def update(self, q: np.ndarray) -> None:
        """Compute the frames at q (n,), rad or m: one pass from the root."""
        self.q = q
        self._frames.update(q)

    def pose(self, link: str) -> np.ndarray:
        """Return T_world_link (4, 4), m: a view, valid until the next update."""
        return self._T_world_link[self.body.link_index(link)]

    def position(self, link: str, point: np.ndarray = ORIGIN) -> np.ndarray:
        """Return the position (3,), m, of a point (3,) of a link, in its frame, in the world."""
        T = self.pose(link)
        return T[:3, 3].copy() if point is ORIGIN else T[:3, :3] @ point + T[:3, 3]

    def jacobian(self, link: str, point: np.ndarray = ORIGIN) -> np.ndarray:
        """Return the Jacobian (6, n) of a point (3,) of a link; see `Body.jacobian`."""
        J: np.ndarray = self._frames.jacobian(self.body.link_index(link), point)
        return J

    def center_of_mass(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the centre of mass (3,), m, and its Jacobian (3, n). The mass must not be 0."""
        found: tuple[np.ndarray, np.ndarray] = self._frames.center_of_mass()
        return found

    def mass_matrix(self, tree: Tree | None = None) -> np.ndarray:
        """Return M (n, n); see `Body.mass_matrix`.

        tree: a record of the same body with other inertials; by default that of the body.
        """
        M: np.ndarray = self._frames.mass_matrix(self.body.record if tree is None else tree)
        return M
