"""Inverse kinematics as a layer of PyTorch: where to grasp, so that the arm bends least.

python examples/torch_gradient.py
"""

from typing import Any

import numpy as np
import torch

from ik_node import KinematicTree, make_solver
from ik_node.support.resources import robot_file

CENTRE = torch.tensor([0.6, 0.2, 0.4], dtype=torch.float64)  # of what is grasped, m
RADIUS = 0.08  # m, from the centre to the tip


class InverseKinematics(torch.autograd.Function):
    """A pose (4, 4), m, to the joint values (n,) that meet it; the solver begins at q0 (n,)."""

    @staticmethod
    def forward(ctx: Any, T: torch.Tensor, solver: Any, q0: np.ndarray) -> torch.Tensor:
        """Return the joint values."""
        result = solver.solve(T.detach().numpy(), q0)
        if not result.success:
            raise ValueError(f'the pose is not met: {result.reason.value}')
        ctx.rotation = T.detach()[:3, :3]
        ctx.gradient = torch.from_numpy(solver.gradient(result))  # (n, 6)
        return torch.from_numpy(result.q)

    @staticmethod
    def backward(ctx: Any, by_q: torch.Tensor) -> tuple[torch.Tensor, None, None]:
        """Return the derivative by the entries of T, along rotations of its rotation matrix."""
        px, py, pz, x, y, z = by_q @ ctx.gradient
        nothing = torch.zeros_like(x)
        by_T = torch.zeros(4, 4, dtype=by_q.dtype)
        by_T[:3, 3] = torch.stack([px, py, pz])
        skew = torch.stack([nothing, -z, y, z, nothing, -x, -y, x, nothing]).reshape(3, 3)
        by_T[:3, :3] = 0.5 * skew @ ctx.rotation  # then ⟨by_T, [ω]R⟩ = (x, y, z)·ω
        return by_T, None, None


def grasp(angles: torch.Tensor) -> torch.Tensor:
    """Return the pose (4, 4), m, that points at the centre from a yaw and a pitch, rad."""
    (cy, cp), (sy, sp) = torch.cos(angles), torch.sin(angles)
    nothing = torch.zeros_like(cy)
    R = torch.stack([cy * cp, -sy, cy * sp, sy * cp, cy, sy * sp, -sp, nothing, cp]).reshape(3, 3)
    position = CENTRE - RADIUS * R[:, 2]
    last = torch.tensor([[0.0, 0.0, 0.0, 1.0]], dtype=angles.dtype)
    return torch.cat([torch.cat([R, position[:, None]], dim=1), last])


def main() -> None:
    """Descend from one grasp to the one with the least joint values, and print both."""
    chain = KinematicTree.from_urdf(robot_file('arm_6r')).chain()
    solver = make_solver('dls', chain)
    q = np.array([0.3, -0.2, 0.3, 0.1, -1.0, 0.0])
    angles = torch.tensor([-0.4, 1.8], dtype=torch.float64, requires_grad=True)
    descent = torch.optim.Adam([angles], lr=0.03)
    for step in range(400):
        descent.zero_grad()
        joint_values = InverseKinematics.apply(grasp(angles), solver, q)
        cost = (joint_values ** 2).sum()
        cost.backward()
        if step in (0, 399):
            print(f'yaw {angles[0]:.3f}, pitch {angles[1]:.3f}: cost {cost:.4f}, slope '
                  f'{angles.grad.norm():.1e}')
        descent.step()
        q = joint_values.detach().numpy()


if __name__ == '__main__':
    main()
