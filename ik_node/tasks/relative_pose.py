"""Poses of links in the frames of other links."""

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from ik_node.model.body import ORIGIN, Body, BodyFrames
from ik_node.spatial import inverse
from ik_node.tasks import checks
from ik_node.tasks.base import POSE, BuiltInTask
from ik_node.tasks.body_task import BodyTask
from ik_node.tasks.drawing import DrawnTarget, Shape
from ik_node.tasks.pose_tasks import PoseTask


@dataclass(eq=False, repr=False)
class RelativePose(BuiltInTask):
    """A link at a pose in another link's frame: r = [R_Tᵀ (p − p_T); log(R_Tᵀ R)] (6,), m and rad.

    p and R are the link's in the frame of the reference, T_reference_link. J is that of the link
    less that of the point of the reference that is there, turned into the target's axes as of
    `Pose`.

    - `link`, `reference`; `target`: T_reference_link (4, 4), m, or None.
    """

    link: str
    reference: str
    target: Annotated[Any, checks.optional(checks.pose)] = None

    target_kind = POSE
    _metres = (True,) * 3 + (False,) * 3

    def _record(self, body: Body, index: int) -> BodyTask:
        return PoseTask(index, body.link_index(self.link), [True] * 6, ORIGIN, np.eye(3),
                        body.link_index(self.reference))

    def target_in(self, frames: BodyFrames) -> np.ndarray:
        T: np.ndarray = inverse(frames.pose(self.reference)) @ frames.pose(self.link)
        return T

    def drawing(self, frames: BodyFrames, size: float) -> list[Shape]:
        return [DrawnTarget(frames.pose(self.reference) @ self.target)]
