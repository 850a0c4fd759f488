"""Whether a success is one, by kinematics that share nothing with the solvers' kernels."""

import numpy as np
from scipy.spatial.transform import Rotation

ROUNDING = 1e-15  # of an error: what two ways to compute it may differ by, for each unit of length


def errors(chain, goal, q):
    """Return (position error, m, orientation error, rad), by the tree's kinematics and scipy's."""
    T_root = chain.tree.forward(dict(zip(chain.joint_names, q)))
    T = np.linalg.inv(T_root[chain.base_link]) @ T_root[chain.tip_link] @ chain.tool
    return pose_errors(T, goal.pose, goal.weights)


def pose_errors(T, T_goal, weights):
    """Return (position error, m, orientation error, rad) of a pose from that of a goal, (4, 4).

    weights: (6,) of the goal; what has none does not count.
    """
    G, asked = T_goal[:3, :3], np.asarray(weights) > 0.0
    position = (G.T @ (T_goal[:3, 3] - T[:3, 3]))[asked[:3]]
    turn = (G.T @ Rotation.from_matrix(G @ T[:3, :3].T).as_rotvec())[asked[3:]]
    if len(turn) == 1:  # the heading of the tip's next axis about the only axis asked for
        k = int(np.argmax(asked[3:]))
        along = G.T @ T[:3, (k + 1) % 3]
        turn = np.arctan2(along[(k + 2) % 3], along[(k + 1) % 3])
    return float(np.linalg.norm(position)), float(np.linalg.norm(turn))


def holds(chain, goal, options, q):
    """Tell whether q (n,) meets a goal, within both tolerances and inside the limits."""
    position, orientation = errors(chain, goal, q)
    scale = 1.0 + np.abs(goal.pose[:3, 3]).max() + np.abs(np.where(chain.prismatic, q, 0.0)).max()
    slack = 20.0 * chain.n_joints * ROUNDING
    return bool(position <= options.position_tolerance + slack * scale
                and orientation <= options.orientation_tolerance + slack
                and np.isfinite(q).all() and (chain.lower <= q).all() and (q <= chain.upper).all())
