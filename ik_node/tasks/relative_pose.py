"""A pose of one link seen from another."""

from typing import Any

import numpy as np

from ik_node.model.body import Body, BodyFrames
from ik_node.spatial import inverse
from ik_node.tasks import checks
from ik_node.tasks.base import BuiltInTask, Rows, rows
from ik_node.tasks.body_task import BodyTask
from ik_node.tasks.pose_tasks import RelativePoseTask


class RelativePose(BuiltInTask):
    """A link at a pose in another link's frame: r = [R_Tᵀ (p − p_T); log(R_Tᵀ R)] (6,), m and rad.

    p and R are the link's in the frame of the reference, T_reference_link. J is that of the link
    less that of the point of the reference that is there, turned into the target's axes as of
    `Pose`.

    - `link`, `reference`; `target`: T_reference_link (4, 4), m, or None.
    """

    target = checks.Checked(checks.optional(checks.pose))

    def __init__(self, link: str, reference: str, target: Any = None, *, weight: float = 1.0,
                 priority: int = 1, name: str | None = None) -> None:
        """Make the task. Raises InputError for malformed arguments."""
        super().__init__((link, reference), weight, priority, name)
        self.link, self.reference = link, reference
        self.target = target

    def rows(self, body: Body) -> Rows:
        """Return what the rows are: three along, three about the target's axes."""
        return rows([True] * 3 + [False] * 3)

    def record(self, body: Body, index: int) -> BodyTask:
        """Return what kernels evaluate it by; see `BuiltInTask.record`."""
        return RelativePoseTask(index, body.link_index(self.link), body.link_index(self.reference))

    def target_in(self, frames: BodyFrames) -> np.ndarray:
        """Return the T_reference_link (4, 4), m."""
        T: np.ndarray = inverse(frames.pose(self.reference)) @ frames.pose(self.link)
        return T
