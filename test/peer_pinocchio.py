"""Pinocchio's frames, Jacobians, centre of mass and mass matrix, over the q of a `Body`."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

pinocchio = pytest.importorskip('pinocchio')


class Peer:
    """A URDF as Pinocchio reads it, with the joints, mimics and root of a body.

    Pinocchio has a value for every joint, (cos, sin) for continuous ones, and leaves links that are
    fixed to a fixed root out of the total mass: they are added here.
    """

    def __init__(self, path, body):
        self.body = body
        free = pinocchio.JointModelFreeFlyer()
        self.model = (pinocchio.buildModelFromUrdf(str(path)) if body.root == 'fixed'
                      else pinocchio.buildModelFromUrdf(str(path), free))
        self.data = self.model.createData()
        self.root_values = 0 if body.root == 'fixed' else 6
        names = body.joint_names
        self.columns = np.zeros((self.model.nv, body.n_joints))
        for name, joint in zip(self.model.names, self.model.joints):
            if name in body.tree.joints:
                source, ratio, _ = body.tree.drives[name]
                self.columns[joint.idx_v, names.index(source)] = ratio
        fixed = self.model.inertias[0]
        self.fixed_mass, self.fixed_moment = fixed.mass, fixed.mass * fixed.lever
        self.mass = pinocchio.computeTotalMass(self.model) + self.fixed_mass

    def q(self, q):
        """Return Pinocchio's configuration; set the columns of the root's velocity."""
        values = self.body.tree.joint_values(dict(zip(self.body.joint_names[self.root_values:],
                                                      q[self.root_values:])))
        theirs = pinocchio.neutral(self.model)
        for name, joint in zip(self.model.names, self.model.joints):
            if name in values and joint.nq == 2:
                theirs[joint.idx_q:joint.idx_q + 2] = np.cos(values[name]), np.sin(values[name])
            elif name in values:
                theirs[joint.idx_q] = values[name]
        if self.root_values:
            # Their velocity is that of the root link in its own axes: Rᵀ ẋ and Rᵀ J_l(w) ẇ.
            R = Rotation.from_rotvec(q[3:6])
            theirs[:7] = *q[:3], *R.as_quat()
            self.columns[:3, :3] = R.as_matrix().T
            self.columns[3:6, 3:6] = R.as_matrix().T @ left_jacobian(q[3:6])
        return theirs

    def forward(self, q):
        """Return {link: T_world_link (4, 4)}."""
        pinocchio.framesForwardKinematics(self.model, self.data, self.q(q))
        return {link: self.data.oMf[self._frame(link)].homogeneous for link in self.body.links}

    def jacobian(self, q, link, point):
        """Return the Jacobian (6, n) of a point of a link, linear rows first, world axes."""
        J = pinocchio.computeFrameJacobian(self.model, self.data, self.q(q), self._frame(link),
                                           pinocchio.LOCAL_WORLD_ALIGNED)
        pinocchio.updateFramePlacements(self.model, self.data)
        r = self.data.oMf[self._frame(link)].rotation @ point
        J[:3] -= pinocchio.skew(r) @ J[3:]
        return J @ self.columns

    def center_of_mass(self, q):
        """Return the centre of mass (3,) and its Jacobian (3, n)."""
        theirs = self.q(q)
        moving = self.mass - self.fixed_mass
        com = pinocchio.centerOfMass(self.model, self.data, theirs)
        J = pinocchio.jacobianCenterOfMass(self.model, self.data, theirs)
        return ((moving * com + self.fixed_moment) / self.mass,
                moving / self.mass * J @ self.columns)

    def mass_matrix(self, q):
        """Return the mass matrix (n, n)."""
        M = pinocchio.crba(self.model, self.data, self.q(q))
        return self.columns.T @ (np.triu(M) + np.triu(M, 1).T) @ self.columns

    def _frame(self, link):
        return self.model.getFrameId(link, pinocchio.FrameType.BODY)


def left_jacobian(w):
    """Return the left Jacobian of SO(3) (3, 3), by quadrature of ∫ exp(s w) ds over 0 … 1."""
    nodes, weights = np.polynomial.legendre.leggauss(40)
    return sum(0.5 * weight * Rotation.from_rotvec(0.5 * (node + 1.0) * w).as_matrix()
               for node, weight in zip(nodes, weights))
