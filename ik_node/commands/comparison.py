"""Compares the methods on one arm: the same goals, initial guesses and path of the tip for all."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ik_node.commands.figures_textbook import FIGURES, FRAMES, START, Variant
from ik_node.kinematics.reach import extent
from ik_node.model.chain import Chain
from ik_node.motion.interpolation import between_poses
from ik_node.solvers.arm.base import Solver
from ik_node.solvers.goal import Goal
from ik_node.solvers.registry import make_solver, solver_names
from ik_node.solvers.result import Result
from ik_node.support.exceptions import IkError, InputError, UnsupportedError
from ik_node.workspace.sampling import ranges
from ik_node.workspace.task_rank import task_rank

TOLERANCE = 1e-4       # rad, and of the arm's length
RESTARTS = 10          # after the first attempt
SPARSER = 4            # times as long steps, where tracking errors are compared
_IN_PLANE = np.array([1.0, 1.0, 0.0, 0.0, 0.0, 0.0])
_LONG = 0.02           # s: solves that take longer are not repeated
_PATH = 0.5            # of the arm's length: a straight path,
_SHORTER = 40          # which is halved after so many attempts
_HALVINGS = 5
_GENTLE = 0.25         # rad or m: its largest joint step


VARIANTS = (
    Variant('pseudoinverse, alternate Jacobian', 'pseudoinverse', {'jacobian': 'goal'}),
    Variant('pseudoinverse, control term', 'pseudoinverse', {'bias_target': 0.0, 'bias_gain': 0.1}),
    Variant('genetic, no local search', 'genetic', {'local_search': False}),
)
"""Methods of the sources that are options of a solver."""


@dataclass(frozen=True)
class ComparisonProblem:
    """Goals for one arm, and a straight path of its tip.

    `starts`: (m, n), the initial guess of each of m goals. `path`: a goal for each frame, of which
    `q0` (n,) meets the first. `length`: length scale of the arm, m.
    """

    name: str
    chain: Chain
    goals: Sequence[Goal]
    starts: np.ndarray
    path: Sequence[Goal]
    q0: np.ndarray
    length: float


@dataclass(frozen=True)
class Row:
    """The measurements of a method.

    - `first`, `met`: shares of goals met by the first attempt, and with restarts.
    - `iterations`: median of first attempts that meet their goal; nan where none does.
    - `missed_by`: median position error of the others, of the arm's length; nan without others.
    - `median`, `p99`: of the time of a goal, ms, with restarts.
    - `q`: (k, n) joint values along the path, rad or m, each frame solved from the one before;
      `frames_met`: how many of these solves meet their goal.
    - `tracking`, `sparse`: largest distance of the tip from its goal, m, where each frame takes one
      bare step, and where every SPARSER-th does; None without bare steps.
    """

    method: Variant
    first: float
    met: float
    iterations: float
    missed_by: float
    median: float
    p99: float
    q: np.ndarray
    frames_met: int
    tracking: float | None
    sparse: float | None

    @property
    def largest(self) -> float:
        """Return the largest step of a joint."""
        return float(np.abs(np.diff(self.q, axis=0)).max())

    @property
    def typical(self) -> float:
        """Return the root mean square of the joints' steps."""
        return float(np.sqrt((np.diff(self.q, axis=0) ** 2).mean()))

    @property
    def roughness(self) -> float:
        """Return the root mean square of the joints' second differences: 0 at constant speed."""
        return float(np.sqrt((np.diff(self.q, n=2, axis=0) ** 2).mean()))


def methods() -> list[Variant]:
    """Return the registered solvers, plug-ins too, and the variants, by their labels."""
    return sorted([*(Variant(name, name) for name in solver_names()), *VARIANTS],
                  key=lambda method: method.label)


def textbook(chain: Chain, count: int, seed: int) -> ComparisonProblem:
    """Return the problem of the textbook's planar arm: positions, and the path of figure 5.20."""
    start = chain.forward(START)
    end = start.copy()
    end[:2, 3] = FIGURES['5.20'].goal
    path = _line(start, end, _IN_PLANE)
    return _problem('planar_3r', chain, _IN_PLANE, path, np.array(START), count, seed)


def general(name: str, chain: Chain, count: int, seed: int) -> ComparisonProblem:
    """Return a problem of an arm: poses, as far as it can serve them, and a path that exists.

    Raises IkError where no straight path is found.
    """
    weights, rng = task_rank(chain).weights, np.random.default_rng(seed)
    path, q0 = _straight_path(chain, weights, rng)
    return _problem(name, chain, weights, path, q0, count, seed)


def measure(problem: ComparisonProblem, method: Variant, repeats: int) -> Row:
    """Return what is measured of a method; times are minima over so many repeats.

    Raises IkError where the method does not fit the arm.
    """
    attempt, solver = (make_solver(method.solver, problem.chain, **{
        'position_tolerance': TOLERANCE * problem.length, 'orientation_tolerance': TOLERANCE,
        'max_restarts': restarts, **method.options}) for restarts in (0, RESTARTS))
    attempt.solve(problem.goals[0], problem.starts[0])
    firsts = [attempt.solve(goal, q0) for goal, q0 in zip(problem.goals, problem.starts)]
    timed = [_timed(solver, goal, q0, repeats) for goal, q0 in zip(problem.goals, problem.starts)]
    times = 1e3 * np.array([seconds for seconds, _ in timed])
    return Row(
        method, float(np.mean([result.success for result in firsts])),
        float(np.mean([result.success for _, result in timed])),
        _median([result.iterations for result in firsts if result.success]),
        _median([result.position_error / problem.length for result in firsts
                 if not result.success]),
        float(np.median(times)), float(np.percentile(times, 99)), *_follow(problem, solver),
        *(_tracking(problem, attempt, every) for every in (1, SPARSER)))


def _problem(name: str, chain: Chain, weights: np.ndarray, path: Sequence[Goal], q0: np.ndarray,
             count: int, seed: int) -> ComparisonProblem:
    if count < 1:
        raise InputError(f'there must be at least 1 goal, not {count}')
    length, rng = extent(chain.arrays).length_scale, np.random.default_rng(seed)
    lower, upper = ranges(chain, travel=length)
    drawn = rng.uniform(lower, upper, (2, count, chain.n_joints))
    goals = [Goal.from_pose(chain.forward(q), weights) for q in drawn[0]]
    return ComparisonProblem(name, chain, goals, drawn[1], path, q0, length)


def _timed(solver: Solver, goal: Goal, q0: np.ndarray, repeats: int) -> tuple[float, Result]:
    """Return the least time of a solve, s, and its result, which repeats do not change."""
    least = np.inf
    for _ in range(repeats):
        began = time.perf_counter()
        result = solver.solve(goal, q0)
        least = min(least, time.perf_counter() - began)
        if least > _LONG:
            break
    return least, result


def _median(values: Sequence[float]) -> float:
    return float(np.median(values)) if len(values) else float('nan')


def _follow(problem: ComparisonProblem, solver: Solver) -> tuple[np.ndarray, int]:
    q, met = [problem.q0], 0
    for goal in problem.path[1:]:
        result = solver.solve(goal, q[-1])
        met += bool(result.success)
        q.append(result.q)
    return np.array(q), met


def _tracking(problem: ComparisonProblem, solver: Solver, every: int) -> float | None:
    """Return the largest distance, m, of the tip from its goal with one bare step a frame."""
    q, largest = problem.q0, 0.0
    for goal in problem.path[every::every]:
        try:
            q = q + solver.step(goal, q)
        except UnsupportedError:
            return None
        off = problem.chain.forward(q)[:3, 3] - goal.pose[:3, 3]
        largest = max(largest, float(np.linalg.norm(off)))
    return largest


def _line(start: np.ndarray, end: np.ndarray, weights: np.ndarray) -> list[Goal]:
    """Return goals on the straight line between two poses (4, 4), m."""
    return [Goal.from_pose(between_poses(start, end, share), weights)
            for share in np.linspace(0.0, 1.0, FRAMES + 1)]


def _straight_path(chain: Chain, weights: np.ndarray,
                   rng: np.random.Generator) -> tuple[list[Goal], np.ndarray]:
    """Return a straight path that damped least squares follows, and the configuration before it."""
    dls, scale = make_solver('dls', chain, max_restarts=0), extent(chain.arrays).length_scale
    lower, upper = ranges(chain, travel=scale)
    for k in range(_HALVINGS * _SHORTER):
        q0 = rng.uniform(lower, upper)
        start, direction = chain.forward(q0), rng.normal(size=3) * (weights[:3] > 0.0)
        end = start.copy()
        end[:3, 3] += _PATH * 0.5 ** (k // _SHORTER) * scale * direction / max(
            float(np.linalg.norm(direction)), 1e-12)
        path, q = _line(start, end, weights), q0
        for goal in path[1:]:
            result = dls.solve(goal, q)
            if not result.success or np.abs(result.q - q).max() > _GENTLE:
                break
            q = result.q
        else:
            return path, q0
    raise IkError('no straight path of the tip was found that the arm can follow')
