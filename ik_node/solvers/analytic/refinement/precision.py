"""Refinement of solutions to full precision, inside the limits."""

try:
    import cython
except ImportError:
    from ik_node.support import cython

from ik_node.kinematics.forward import ChainRecord
from ik_node.solvers.analytic.refinement import newton
from ik_node.solvers.kernel import search
from ik_node.solvers.kernel.arm_kernel import Verifier
from ik_node.solvers.kernel.settings import Scratch, Settings
from ik_node.solvers.kernel.task import TipTask
from ik_node.support.arrays import InputMatrix, InputVector, OutputVector, Vector

# Squared error, m² and rad², of a precise solution. Configurations that meet the tolerances with a
# larger error are used only where there is no precise one.
PRECISE = 1e-17
SMALL, LARGE = 0.1, 10.0  # m: lengths of arms; positions of others count as if of the nearest one


def load_goal(task: TipTask, T_base_goal: InputMatrix, weights: InputVector,
              settings: Settings) -> None:
    """Write a goal's pose (4, 4), m, and which of its weights (6,) are above 0 into a task.

    How large they are does not matter to what meets the goal: with their own, Newton's method would
    leave errors of small weight, and with metres, those of small arms, and hardly move large ones.
    """
    search.load_goal(task, T_base_goal, weights)
    unit = position_unit(settings)
    for i in range(6):
        if task.weights[i] > 0.0:
            task.weights[i] = unit if i < 3 else 1.0
    task.prepare()


def position_unit(settings: Settings) -> float:
    """Return the weight of positions; see `load_goal`."""
    return max(min(1.0, LARGE / settings.length), SMALL / settings.length)


def refine_to_precision(chain: ChainRecord, task: TipTask, settings: Settings, work: Scratch,
                        q: Vector) -> tuple[float, float]:
    """Refine q (n,) to full precision in place; return (position error, orientation error).

    q is unchanged where the result would leave the limits, would exceed a tolerance that q
    meets, or would have a larger error.
    """
    held, refined, start, n = work.slope, work.q, work.start, chain.n
    before, position, orientation = search.residual(chain, task, work, q)
    met = within_tolerances(settings, position, orientation)
    for k in range(n):
        held[k], refined[k] = 0.0, q[k]
    if refine_inside_limits(chain, task, work, held, refined) > PRECISE:
        copy_to(start, refined, n)
        for i in range(2):
            for k in range(n):
                held[k] = 0.0
            if (newton.across_fold(chain, task, work, held, start, 1 - 2 * i, refined)
                    and refine_inside_limits(chain, task, work, held, refined) <= PRECISE):
                break
            copy_to(refined, start, n)
    if limit_excess(chain, refined) == 0.0:
        after, position_after, orientation_after = search.residual(chain, task, work, refined)
        if after < before and (within_tolerances(settings, position_after,
                                                            orientation_after) or not met):
            copy_to(q, refined, n)
            return position_after, orientation_after
    return position, orientation


def refine_inside_limits(chain: ChainRecord, task: TipTask, work: Scratch, held: Vector,
                         q: Vector) -> float:
    """Refine q (n,) in place, holding joints that leave their limits there; return the error.

    held (n,): 1 for held joints; those at their limits are added. The others compensate for them
    where they can.
    """
    n = chain.n
    for _ in range(n + 1):
        error, _position, _orientation = newton.newton_refinement(chain, task, work, held, q,
                                                                newton.STEPS)
        if limit_excess(chain, q) == 0.0:
            return error
        for k in range(n):
            within = min(max(q[k], chain.lower[k]), chain.upper[k])
            if within != q[k]:
                q[k], held[k] = within, 1.0
    return newton.INF


def joint_excess(chain: ChainRecord, q: Vector, k: int) -> float:
    """Return the excess of q (n,) over the limits of joint k, rad or m; negative inside."""
    return max(chain.lower[k] - q[k], q[k] - chain.upper[k])


def limit_excess(chain: ChainRecord, q: Vector) -> float:
    """Return the largest excess of q (n,) over the limits, rad or m; 0 inside."""
    worst = 0.0
    for k in range(chain.n):
        worst = max(worst, joint_excess(chain, q, k))
    return worst


def within_tolerances(settings: Settings, position: float, orientation: float) -> bool:
    """Tell whether errors, m and rad, are within both tolerances."""
    return (position <= settings.position_tolerance
            and orientation <= settings.orientation_tolerance)


def copy_to(target: Vector, source: Vector, n: int) -> None:
    """Copy a vector (n,)."""
    for k in range(n):
        target[k] = source[k]


class Refiner(Verifier):
    """Refines for one chain; and computes errors, as its base class."""

    def __init__(self, chain: ChainRecord, settings: Settings) -> None:
        """Prepare for a chain, and the tolerances in settings."""
        super().__init__(chain)
        self.settings = settings

    def refine(self, T_base_goal: InputMatrix, weights: InputVector, q: OutputVector) -> tuple:
        """Refine q (n,) in place, where that is better: see `refine_to_precision`.

        Return (position error, orientation error), m and rad. T_base_goal (4, 4), m, weights (6,):
        of a checked goal. Raises ValueError for arrays of other lengths.
        """
        work = self.begin(T_base_goal, weights, q)
        load_goal(work.task, T_base_goal, weights, self.settings)
        with cython.nogil:
            position, orientation = refine_to_precision(
                self.chain, work.task, self.settings, work, work.q0)
        for k in range(self.chain.n):
            q[k] = work.q0[k]
        self.idle.append(work)
        return position, orientation
