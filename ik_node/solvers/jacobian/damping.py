"""Rules for the damping factor λ of damped least squares, by several authors."""

from ik_node.solvers import codes, linear
from ik_node.solvers.jacobian.settings import JacobianSettings
from ik_node.solvers.settings import Settings, Scratch
from ik_node.support.arrays import Vector

# The floor that Sugihara adds, so that λ does not vanish at the goal. Tried over 1e-10 to 1e-6 on
# the arms of the benchmark: flat near this value.
FLOOR = 1e-8

# Nakamura's λ0 and w0. With metres in units of the arm length, the manipulability of arms with six
# joints and more is 0.02 to 0.08 in the median and at most 0.1 to 0.2. Tried over 0.01 to 0.1 and
# 0.003 to 0.03: with more damping fewer goals near singular configurations are met.
LARGEST_DAMPING = 0.01
LOW_MANIPULABILITY = 0.01


def task_energy(settings: Settings, V: Vector) -> float:
    """Return half the squared weighted error of V (6,), metres counted in lengths of the arm."""
    linear_part = V[0] * V[0] + V[1] * V[1] + V[2] * V[2]
    angular = V[3] * V[3] + V[4] * V[4] + V[5] * V[5]
    return 0.5 * (linear_part / (settings.length * settings.length) + angular)


def squared_damping(settings: Settings, own: JacobianSettings, n: int, work: Scratch,
                    V: Vector) -> float:
    """Return λ² for the error V (6,), metres counted in lengths of the arm; work.A is scratch.

    With E = ½ |error|²: `share · E` [Chan & Lawrence 1988], which vanishes at the goal;
    `share · E + floor` [Sugihara, IEEE T-RO 27 (2011) 984, eq. 17]; or from the manipulability w,
    `λ0² (1 − w/w0)²` below w0 and nothing above [Nakamura & Hanafusa 1986].
    """
    if own.damping_rule == codes.NAKAMURA:
        return _near_singular(settings, n, work)
    energy = own.error_share * task_energy(settings, V)
    return energy + FLOOR if own.damping_rule == codes.SUGIHARA else energy


def _near_singular(settings: Settings, n: int, work: Scratch) -> float:
    """Return λ² by Nakamura's rule; the manipulability is that of the free joints."""
    A, square = work.A, settings.length * settings.length
    linear.gram(work.J, n, A)
    for i in range(6):
        for j in range(i + 1):
            if j < 3:
                A[i][j] /= square if i < 3 else settings.length
    w = linear.volume(A) if linear.cholesky(A) > 0.0 else 0.0
    lack = max(0.0, 1.0 - w / LOW_MANIPULABILITY)
    return LARGEST_DAMPING * LARGEST_DAMPING * lack * lack
