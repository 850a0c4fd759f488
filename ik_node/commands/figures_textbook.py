"""The runs of the textbook's figures 5.20–5.25 [Parent], as its text describes them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ik_node.model.chain import Chain
from ik_node.solvers.goal import Goal
from ik_node.solvers.registry import make_solver
from ik_node.support.arguments import vector
from ik_node.support.exceptions import InputError
from ik_node.workspace.picture import link_origins

ROBOT = 'planar_3r'                      # lengths 15, 10, 5
START = (np.pi / 8, np.pi / 4, np.pi / 4)  # rad
FRAMES = 20                              # after frame 0, the start

_NEAR, _FAR = (-20.0, 5.0), (-35.0, 5.0)


@dataclass(frozen=True)
class Variant:
    """A solver with options."""

    label: str
    solver: str
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class TextbookFigure:
    """A figure of the text.

    `goal`: x and y. `limit`: rad, of each joint to either side of 0. `panels`: the frames, of 20,
    that the text shows. `remark`: an explanation, a format string of the runs a, b, … of its
    methods, as in `{a.largest:.2f}`.
    """

    number: str
    title: str
    methods: tuple[Variant, ...]
    remark: str
    goal: tuple[float, float] = _NEAR
    panels: tuple[int, ...] = (0, 5, 10, 15, 20)
    limit: float = np.inf

    @property
    def file(self) -> str:
        """Return the name of its picture."""
        return f'figure_{self.number.replace(".", "_")}.png'


class Run:
    """A run of a method after the goal: frame 0 is the start, then one step per frame.

    Lengths are in the unit of the arm, whole turns of the angles are kept.

    - `degrees`: (n + 1, 3) the joint angles; `end`: (3,) those after the last frame.
    - `tips`: (n + 1, 2), where the tip was; `distances`: (n + 1,) from its frame's goal, the
      `largest` of which is at the frame `worst`.
    - `steps`: (n,) rad, how far the joint that turned most turned; `longest`: the longest of them.
    """

    def __init__(self, method: Variant, q: np.ndarray, joints: np.ndarray,
                 goals: np.ndarray) -> None:
        """Take q (n + 1, 3), rad, positions of joints and tip (n + 1, 4, 2) and goals (n + 1, 2).

        One row for each frame.
        """
        self.method, self.q, self.joints, self.goals = method, q, joints, goals
        self.degrees = np.degrees(q)
        self.end, self.tips = self.degrees[-1], joints[:, -1]
        self.distances = np.linalg.norm(self.tips - goals, axis=1)
        self.largest, self.worst = float(self.distances.max()), int(self.distances.argmax())
        self.steps = np.abs(np.diff(q, axis=0)).max(axis=1)
        self.longest = float(self.steps.max())


def ends(runs: Sequence[Run]) -> np.ndarray:
    """Return the least and the largest x and y (2, 2), m, of arms and goals of runs."""
    points = np.concatenate([part for one in runs for part in (one.goals, *one.joints)])
    return np.array([points.min(axis=0), points.max(axis=0)])


def run(chain: Chain, method: Variant, goal: Sequence[float], frames: int = FRAMES, *,
        share: float = 1.0, limit: float = np.inf) -> Run:
    """Follow a goal that moves on a straight line from the tip to `goal`, x and y, in equal steps.

    One Euler step per frame, position only. share: the part of it that is taken. limit: rad, of
    each joint to either side of 0. Raises InputError for a goal that is not two finite numbers or
    no frame at all.
    """
    if frames < 1:
        raise InputError(f'there must be at least 1 frame, not {frames}')
    solver: Any = make_solver(method.solver, chain, **method.options)  # all of them have `step`
    start = chain.forward(START)[:3, 3]
    end = np.append(vector(goal, 2, 'the goal'), start[2])
    goals = start + np.linspace(0.0, 1.0, frames + 1)[:, None] * (end - start)
    q = [np.array(START)]
    for position in goals[1:]:
        dq = share * solver.step(Goal(position=position), q[-1])
        q.append(np.clip(q[-1] + dq, -limit, limit))
    joints = np.array([link_origins(chain, dict(zip(chain.joint_names, values)))[1:, :2]
                       for values in q])
    return Run(method, np.array(q), joints, goals[:, :2])


_PSEUDOINVERSE = Variant('pseudoinverse', 'pseudoinverse')
_DAMPED = Variant('damped least squares, λ = 5', 'dls', {'damping': 5.0})


def _control(gains: tuple[float, float, float]) -> Variant:
    """Return the control term of figure 5.22: every joint drawn to 0 [Parent 5.25–5.31]."""
    return Variant(f'control term, θc = 0, ψ = 2, a = {gains}', 'pseudoinverse',
                  {'bias_target': 0.0, 'bias_exponent': 2.0, 'bias_gain': gains})


FIGURES = {figure.number: figure for figure in (
    TextbookFigure(
        '5.20', 'Pseudoinverse of the Jacobian without and with damping',
        (_PSEUDOINVERSE, _DAMPED),
        'Without damping the tip keeps to the straight path, at most {a.largest:.2f} from its '
        "frame's goal. Damping with λ = 5 (the text prints no number) trails by up to "
        '{b.largest:.2f} and gains nothing here, for no singularity is near.'),
    TextbookFigure(
        '5.21', 'Pseudoinverse without and with damping, the goal out of reach',
        (_PSEUDOINVERSE, _DAMPED),
        'As the arm stretches, the plain pseudoinverse leaps: a joint turns {a.longest:.2f} rad in '
        "a single step and the tip is thrown {a.largest:.1f} from its frame's goal. With λ = 5 no "
        'step is longer than {b.longest:.2f} rad, and the tip ends as close as the reach of 30 '
        'lets it.', goal=_FAR, panels=(0, 10, 18, 19, 20)),
    TextbookFigure(
        '5.22', 'Pseudoinverse with a control term that draws the joints to 0',
        (_control((0.1, 0.5, 0.1)), _control((0.1, 0.1, 0.5))),
        'The joint with the larger gain is kept straighter: θ2 ends at {a.end[1]:.0f}° in (a) and '
        '{b.end[1]:.0f}° in (b), θ3 at {a.end[2]:.0f}° and {b.end[2]:.0f}°. The term acts in the '
        'null space: it moves the tip off its path only where steps are long, as the first are '
        '({a.steps[0]:.2f} and {b.steps[0]:.2f} rad).'),
    TextbookFigure(
        '5.23', 'Alternate Jacobian: the goal is pulled to the arm',
        (Variant('alternate Jacobian', 'pseudoinverse', {'jacobian': 'goal'}),),
        "With the goal's position in place of the tip's in the Jacobian the arm moves almost as in "
        "figure 5.20 (a); the tip is at most {a.largest:.2f} from its frame's goal."),
    TextbookFigure(
        '5.24', "Transpose of the Jacobian, Buss's step in place of a fixed one",
        (Variant("transpose, Buss's step", 'transpose'),),
        "Drawn with Buss's step, α = ⟨V, JJᵀV⟩ / ⟨JJᵀV, JJᵀV⟩ anew at every frame: the fixed "
        'α = 0.1 that the text prints diverges for this arm, since stability needs α < 2/σ²max, '
        'which is 0.0025 at the start and never above 0.011. One such step does not reach its '
        'goal: the tip gets off its path and behind, by {a.largest:.1f} at frame {a.worst}, then '
        'catches up.'),
    TextbookFigure(
        '5.25', 'Cyclic coordinate descent',
        (Variant('CCD, one inward sweep per frame', 'ccd', {'order': 'inward'}),),
        'Each joint in turn, from the outermost inward, points the tip at the goal. The interior '
        'angles differ from those of the other methods, θ3 ends at {a.end[2]:.0f}°; with a single '
        'sweep per frame the tip trails, at the end by {a.distances[20]:.1f}.'),
)}
# Runs on the page alone, by their titles.
LESSONS = {lesson.title: lesson for lesson in (
    TextbookFigure(
        '', 'All methods after one goal', (
            _PSEUDOINVERSE, _DAMPED, Variant('transpose', 'transpose'), Variant('CCD', 'ccd')),
        'The pseudoinverse keeps to the path, at most {a.largest:.2f} off; damping trails a '
        'little, the transpose by up to {c.largest:.1f}, and CCD turns the outer joints most.'),
    TextbookFigure(
        '', 'Near a singularity', (_PSEUDOINVERSE, _DAMPED),
        'Stretched out, the arm cannot move its tip outward: the pseudoinverse turns a joint by '
        '{a.longest:.1f} rad in one step, damping with λ = 5 by {b.longest:.2f} rad at most. Drag '
        'the goal in and out, and change λ.', goal=(31.0, 0.0)),
    TextbookFigure(
        '', 'Limits and the null space', (
            _PSEUDOINVERSE, Variant('null space: joints drawn to 0', 'pseudoinverse', {
                'bias_target': 0.0, 'bias_exponent': 2.0, 'bias_gain': 0.3})),
        'Joints stop at 80°. One joint more than the goal asks for leaves a choice: drawn to the '
        'middle of their limits in the null space, the joints share the work, and the tip ends '
        '{b.distances[20]:.1f} from the goal, not {a.distances[20]:.1f}.',
        goal=(-12.0, 20.0), limit=np.radians(80.0)))}
