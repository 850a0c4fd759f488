"""Settings of the kernels of the Jacobian family."""

import math

import numpy as np

from ik_node.model.chain import Chain
from ik_node.solvers import codes
from ik_node.solvers.jacobian.options import JacobianOptions
from ik_node.support.arrays import Memory


class JacobianSettings:
    """The family's options as numbers."""

    def __init__(self, options: JacobianOptions, chain: Chain, default_gain: float = 0.0,
                 factorization: int = codes.AUTO) -> None:
        """Copy the options; default_gain: of the bias, where the options have none.

        - biased: whether a bias is requested: then iterations continue until it has converged.
        - alternate: whether the Jacobian is taken at the goal instead of the tip.
        """
        gain, ascends = options.bias_gain, options.manipulability_gain > 0.0
        if gain is None:  # a default bias must not oppose a requested objective
            gain = 0.0 if ascends else default_gain
        gains = np.full(chain.n_joints, gain, dtype=float)
        targets = np.zeros(chain.n_joints)
        if options.bias_target is None:
            limited = np.isfinite(chain.lower) & np.isfinite(chain.upper)
            targets[limited] = 0.5 * (chain.lower[limited] + chain.upper[limited])
            gains[~limited] = 0.0
        else:
            targets[:] = options.bias_target
        self.memory = memory = Memory()
        self.bias_target, self.bias_gain = memory.vector(targets), memory.vector(gains)
        self.bias_exponent = options.bias_exponent
        self.biased = ascends or (options.bias_gain is not None and bool(gains.any()))
        self.alternate = options.jacobian == 'goal'
        self.rank_tolerance, self.factorization = options.rank_tolerance, factorization
        self.manipulability_gain = options.manipulability_gain
        self.path_step = math.inf if options.path_step is None else options.path_step
