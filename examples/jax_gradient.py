"""Inverse kinematics as a function of JAX: where to grasp, so that the arm bends least.

python examples/jax_gradient.py
"""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ik_node import KinematicTree, make_solver
from ik_node.support.resources import robot_file

jax.config.update('jax_enable_x64', True)

CENTRE = jnp.array([0.6, 0.2, 0.4])  # of what is grasped, m
RADIUS = 0.08  # m, from the centre to the tip
SOLVER = make_solver('dls', KinematicTree.from_urdf(robot_file('arm_6r')).chain())
N = SOLVER.chain.n_joints


def _solve(T: Any, q0: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return joint values (n,) and their gradient (n, 6); NaN where the pose is not met."""
    result = SOLVER.solve(np.asarray(T), np.asarray(q0))
    if not result.success:
        return np.full(N, np.nan), np.full((N, 6), np.nan)
    return result.q, SOLVER.gradient(result)


def _call(T: jax.Array, q0: jax.Array) -> Any:
    shapes = jax.ShapeDtypeStruct((N,), float), jax.ShapeDtypeStruct((N, 6), float)
    return jax.pure_callback(_solve, shapes, T, q0, vmap_method='sequential')


@jax.custom_jvp
def inverse_kinematics(T: jax.Array, q0: jax.Array) -> jax.Array:
    """Return the joint values (n,) that meet a pose (4, 4), m; the solver begins at q0 (n,)."""
    return _call(T, q0)[0]


@inverse_kinematics.defjvp
def _derivative(values: Any, changes: Any) -> tuple[jax.Array, jax.Array]:
    (T, q0), (dT, _) = values, changes
    q, gradient = _call(T, q0)
    W = dT[:3, :3] @ T[:3, :3].T  # [ω] of a change of the rotation, and rounding
    turn = 0.5 * jnp.array([W[2, 1] - W[1, 2], W[0, 2] - W[2, 0], W[1, 0] - W[0, 1]])
    return q, gradient @ jnp.concatenate([dT[:3, 3], turn])


def grasp(angles: jax.Array) -> jax.Array:
    """Return the pose (4, 4), m, that points at the centre from a yaw and a pitch, rad."""
    (cy, cp), (sy, sp) = jnp.cos(angles), jnp.sin(angles)
    R = jnp.array([[cy * cp, -sy, cy * sp], [sy * cp, cy, sy * sp], [-sp, 0.0, cp]])
    position = CENTRE - RADIUS * R[:, 2]
    return jnp.eye(4).at[:3, :3].set(R).at[:3, 3].set(position)


def cost(angles: jax.Array, q0: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Return Σ q² of the configuration that grasps, and the configuration."""
    q = inverse_kinematics(grasp(angles), q0)
    return (q ** 2).sum(), q


def main() -> None:
    """Descend from one grasp to the one with the least joint values, and print both."""
    slope = jax.jit(jax.value_and_grad(cost, has_aux=True))
    angles, q = jnp.array([-0.4, 1.8]), jnp.array([0.3, -0.2, 0.3, 0.1, -1.0, 0.0])
    for step in range(400):
        (value, q), change = slope(angles, q)
        if step in (0, 399):
            print(f'yaw {angles[0]:.3f}, pitch {angles[1]:.3f}: cost {value:.4f}, slope '
                  f'{jnp.linalg.norm(change):.1e}')
        angles = angles - 0.02 * change


if __name__ == '__main__':
    main()
