"""An orientation for a link."""

from typing import Any

import numpy as np

from ik_node.model.body import ORIGIN, Body, BodyFrames
from ik_node.tasks import checks
from ik_node.tasks.base import BuiltInTask, Rows, rows
from ik_node.tasks.body_task import BodyTask
from ik_node.tasks.pose_tasks import PoseTask


class Orientation(BuiltInTask):
    """A link turned as asked: r = log(R_Tᵀ R) (3,), rad, along the target's axes.

    J = J_l⁻¹(r) R_Tᵀ J_ω, with the left Jacobian of SO(3).

    - `link`; `target`: R_world_target (3, 3) or None; set as a matrix or a quaternion xyzw (4,).
    """

    target = checks.Checked(checks.optional(checks.rotation))

    def __init__(self, link: str, target: Any = None, *, weight: float = 1.0, priority: int = 1,
                 name: str | None = None) -> None:
        """Make the task. Raises InputError for malformed arguments."""
        super().__init__((link,), weight, priority, name)
        self.link = link
        self.target = target

    def rows(self, body: Body) -> Rows:
        """Return what the rows are: about the target's x, y and z."""
        return rows([False] * 3)

    def record(self, body: Body, index: int) -> BodyTask:
        """Return what kernels evaluate it by; see `BuiltInTask.record`."""
        return PoseTask(index, body.link_index(self.link), [False] * 3 + [True] * 3, ORIGIN)

    def target_in(self, frames: BodyFrames) -> np.ndarray:
        """Return the R_world_link (3, 3)."""
        return frames.pose(self.link)[:3, :3].copy()
