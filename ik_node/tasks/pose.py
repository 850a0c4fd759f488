"""A pose for a link, or some axes of one."""

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from ik_node.model.body import Body, BodyFrames
from ik_node.tasks import checks
from ik_node.tasks.base import POSE, BuiltInTask, RowKinds, rows
from ik_node.tasks.body_task import BodyTask
from ik_node.tasks.drawing import DrawnTarget, Shape
from ik_node.tasks.pose_tasks import PoseTask

_METRES = np.array([True] * 3 + [False] * 3)


@dataclass(eq=False, repr=False)
class Pose(BuiltInTask):
    """A point of a link at a position, and the orientation of the link.

    With T the target and the link's pose at the point, r = [R_Tᵀ (p − p_T); log(R_Tᵀ R)], along the
    target's axes, m and rad: m = 6 rows, fewer where a weight is 0. J = [R_Tᵀ J_v; J_l⁻¹(r_o) R_Tᵀ
    J_ω], with the left Jacobian of SO(3).

    - `link`; `point`: (3,) in its frame, m; its orientation is the link's.
    - `target`: T_world_target (4, 4), m, or None.
    - `weights`: (6,) of the rows, along the target's axes, linear first; 0 leaves that axis free.
    """

    link: str
    target: Annotated[Any, checks.optional(checks.pose)] = None
    weights: Annotated[Any, checks.axis_weights] = (1,) * 6
    point: Annotated[Any, checks.point] = (0, 0, 0)

    target_kind = POSE

    def rows(self, body: Body) -> RowKinds:
        """Return what the rows are: those with a weight above 0."""
        if 0.0 not in self.weights.tolist():
            return rows(_METRES, weights=self.weights)
        targeted = self.weights > 0.0
        return rows(_METRES[targeted], weights=self.weights[targeted])

    def _record(self, body: Body, index: int) -> BodyTask:
        return PoseTask(index, body.link_index(self.link), self.weights > 0.0, self.point)

    def target_in(self, frames: BodyFrames) -> np.ndarray:
        T_world_target = frames.pose(self.link).copy()
        T_world_target[:3, 3] = frames.position(self.link, self.point)
        return T_world_target

    @property
    def target_weights(self) -> np.ndarray:
        weights: np.ndarray = self.weights
        return weights

    def drawing(self, frames: BodyFrames, size: float) -> list[Shape]:
        return [DrawnTarget(self.target)]
