"""Steps after which constraints hold although they are curved."""

from collections.abc import Callable

import numpy as np

from ik_node.model.body_frames import BodyFrames
from ik_node.solvers.body.problem import Level, LevelRows, missed

_CORRECTIONS = 3
_SHORTER = 4     # times that a step is shortened which cannot be corrected
_SHORTEN = 0.3
_CURVED = 1e-8   # m, rad: what rows may miss by their curvature


def to_second_order(step: Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray], level: Level,
                    rows: LevelRows, which: np.ndarray, frames: BodyFrames, lower: np.ndarray,
                    upper: np.ndarray) -> np.ndarray:
    """Return a step Δq (n,) at q of the frames, after which some rows of a level hold.

    Near a singularity some joints move far for a small step of the tasks, and what is neglected,
    of second order, is as large as the step. What the rows miss by it is asked for in addition
    [Nocedal & Wright, Numerical Optimization, 18.3: second-order correction]; where that does not
    help, the step is shortened.

    step: (e (m,) of the level, lower, upper bounds) → Δq; rows: of the level, at q; which (m,): the
    rows that have to hold.
    """
    x = step(rows.e, lower, upper)
    inevitable = missed(rows.e - rows.A @ x, rows.one_sided)
    trial = BodyFrames(frames.body, frames.q + x)
    for attempt in range(_SHORTER * _CORRECTIONS):
        there, linear = level.evaluate(trial).e, rows.e - rows.A @ x
        excess = np.abs(missed(there, rows.one_sided)) - np.abs(inevitable)
        if not excess[which].max(initial=0.0) > _CURVED:
            break
        if attempt % _CORRECTIONS < _CORRECTIONS - 1:
            x = step(np.where(which, rows.e + there - linear, rows.e), lower, upper)
        else:
            most = _SHORTEN * float(np.abs(x).max())
            lower = np.maximum(lower, -most)
            upper = np.maximum(np.minimum(upper, most), lower)
            x = step(rows.e, lower, upper)
            inevitable = missed(rows.e - rows.A @ x, rows.one_sided)
        trial.update(frames.q + x)
    return x
