"""Constant forces on points of links."""

import math
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from ik_node.model.body import Body, BodyFrames
from ik_node.tasks import checks
from ik_node.tasks.base import BuiltInTask, RowKinds, rows
from ik_node.tasks.body_task import BodyTask
from ik_node.tasks.drawing import Arrow, Color, Shape
from ik_node.tasks.point_tasks import ForceTask


@dataclass(eq=False, repr=False)
class Force(BuiltInTask):
    """A constant force f at a point p of a link: its energy is −f · p, and it pulls with J_vᵀ f.

    As rows for least squares it asks the point to be a metre farther on along the force than it
    is, with the weight √|f|: r = −1 (1,), m, and J = fᵀ J_v(p) / |f|, so that −Jᵀ W² r = J_vᵀ f.
    Unlike that of other tasks, J is not the derivative of r. It does not count for success, nor
    does it miss anything, whatever its priority.

    - `link`; `force`: (3,) N, world axes, not zero; `point`: (3,) in the link's frame, m.
    """

    link: str
    force: Annotated[Any, checks.point]
    point: Annotated[Any, checks.point] = (0, 0, 0)

    misses = False
    affects_success = False

    def rows(self, body: Body) -> RowKinds:
        """Return what the row is: a metre along the force."""
        return rows([True], weights=np.sqrt(np.linalg.norm(self.force)))

    def _record(self, body: Body, index: int) -> BodyTask:
        size = np.linalg.norm(self.force)
        along = self.force / size if size > 0.0 else self.force
        return ForceTask(index, body.link_index(self.link), along, self.point)

    def energy(self, frames: BodyFrames, r: np.ndarray, weights: np.ndarray) -> float:
        """Return −f · p, J."""
        return -float(self.force @ frames.position(self.link, self.point))

    def drawing(self, frames: BodyFrames, size: float) -> list[Shape]:
        strength = math.hypot(*self.force)
        return [] if strength == 0.0 else [Arrow(
            frames.position(self.link, self.point), self.force / strength, Color.FORCE)]
