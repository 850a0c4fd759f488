"""What the solvers of the Jacobian family share: options, settings, and how kernels are made."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ik_node._jit import specialise
from ik_node.options import option
from ik_node.solvers.iterative import IterativeSolver
from ik_node.solvers.jacobian.loop import attempt, bare_step
from ik_node.solvers.jacobian.settings import RANK_TOLERANCE, JacobianSettings, unpack_jacobian
from ik_node.solvers.options import SolverOptions
from ik_node.solvers.search import Kernels, make_kernels


@dataclass(frozen=True)
class JacobianOptions(SolverOptions):
    """What the Jacobian family takes."""

    jacobian: str = option(
        'tip', 'where the Jacobian is taken: at the tip, or at the goal, which pulls the goal to '
        'the arm', kind=str, choices=('tip', 'goal'))
    bias_target: Any = option(
        None, 'the angles a redundant arm is drawn to; none: the middle of the limits, and joints '
        'without limits are left alone', 'rad or m', optional=True, per_joint=True)
    bias_gain: Any = option(
        None, 'how strongly it is drawn there, in the null space of the task; for exponent 2, 1 '
        'and more overshoots. none: not at all, but for dls a little on the way', low=0.0,
        optional=True, per_joint=True)
    bias_exponent: float = option(
        2.0, 'ψ of the penalty Σ gain · |q − target|^ψ', low=1.0, positive=True)
    manipulability_gain: float = option(
        0.0, 'how strongly a redundant arm climbs to where its tip moves well, in the null space '
        'of the task: times the gradient of √det(J Jᵀ), metres counted in lengths of the arm; 5 '
        'is quick for arms of seven joints. 0: not at all', low=0.0)
    rank_tolerance: float = option(
        RANK_TOLERANCE, 'singular values of the Jacobian below this fraction of the largest count '
        'as zero, in a pseudoinverse and in the null space', low=0.0, high=0.5)
    path_step: float | None = option(
        None, 'how much of the position error, and of the orientation error, an iteration is '
        'asked to take away: the tip keeps nearer the straight way, in distance / path_step '
        'iterations, which max_iterations must allow; none: all of it', 'm and rad',
        low=0.0, positive=True, optional=True)


def jacobian_kernels(name: str, method_step: Callable[..., Any]) -> Kernels:
    """Return the kernels of a method, given its step; see `loop`."""
    return make_kernels(name, unpack_jacobian,
                        specialise(attempt, f'attempt_{name}', method_step=method_step),
                        specialise(bare_step, f'bare_step_{name}', method_step=method_step))


class JacobianSolver(IterativeSolver):
    """A solver whose step is made from the Jacobian."""

    Options: ClassVar[type[SolverOptions]] = JacobianOptions
    default_gain: ClassVar[float] = 0.0

    def _method_settings(self) -> JacobianSettings:
        """Return what the whole family is told; subclasses replace what is their own."""
        options = self.options
        gain, climbs = options.bias_gain, options.manipulability_gain > 0.0
        if gain is None:  # nobody asked for a bias: it must not hinder what is asked for
            gain = 0.0 if climbs else self.default_gain
        gains = np.full(self.chain.n_joints, gain, dtype=float)
        targets = np.zeros(self.chain.n_joints)
        if options.bias_target is None:
            limited = np.isfinite(self.chain.lower) & np.isfinite(self.chain.upper)
            targets[limited] = 0.5 * (self.chain.lower[limited] + self.chain.upper[limited])
            gains[~limited] = 0.0
        else:
            targets[:] = options.bias_target
        return JacobianSettings(
            bias_target=targets, bias_gain=gains, bias_exponent=options.bias_exponent,
            biased=climbs or (options.bias_gain is not None and bool(gains.any())),
            alternate=options.jacobian == 'goal', rank_tolerance=options.rank_tolerance,
            manipulability_gain=options.manipulability_gain,
            path_step=math.inf if options.path_step is None else options.path_step)
