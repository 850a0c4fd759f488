"""Orientations of links."""

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from ik_node.model.body import ORIGIN, Body, BodyFrames
from ik_node.tasks import checks
from ik_node.tasks.base import POSE, BuiltInTask
from ik_node.tasks.body_task import BodyTask
from ik_node.tasks.drawing import Shape, target_at
from ik_node.tasks.pose_tasks import PoseTask


@dataclass(eq=False, repr=False)
class Orientation(BuiltInTask):
    """The orientation of a link: r = log(R_Tᵀ R) (3,), rad, along the target's axes.

    J = J_l⁻¹(r) R_Tᵀ J_ω, with the left Jacobian of SO(3).

    - `link`; `target`: R_world_target (3, 3) or None; set as a matrix or a quaternion xyzw (4,).
    """

    link: str
    target: Annotated[Any, checks.optional(checks.rotation)] = None

    target_kind = POSE
    _metres = (False,) * 3

    def _record(self, body: Body, index: int) -> BodyTask:
        return PoseTask(index, body.link_index(self.link), [False] * 3 + [True] * 3, ORIGIN,
                        np.eye(3))

    def target_in(self, frames: BodyFrames) -> np.ndarray:
        return frames.pose(self.link)[:3, :3].copy()

    def target_from(self, T: np.ndarray, is_point: bool) -> np.ndarray:
        return T[:3, :3]

    @property
    def target_weights(self) -> np.ndarray:
        return np.repeat([0.0, 1.0], 3)

    @classmethod
    def read_target(cls, values: np.ndarray, what: str) -> np.ndarray:
        checks.check_length(values, (3, 4), 'roll pitch yaw, or a quaternion x y z w', what)
        return checks.read_rotation(values, what)

    def drawing(self, frames: BodyFrames, size: float) -> list[Shape]:
        return [target_at(frames.position(self.link), self.target)]
