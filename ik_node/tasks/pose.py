"""Poses, positions and orientations of links, in the world or in another link's frame."""

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from ik_node.model.body import ORIGIN, Body, BodyFrames
from ik_node.spatial import inverse, pose_from_rotation
from ik_node.spatial.conversions import why_no_heading
from ik_node.tasks import checks
from ik_node.tasks.base import POINT, POSE, BuiltInTask, RowKinds, rows
from ik_node.tasks.body_task import BodyTask
from ik_node.tasks.drawing import DrawnTarget, Shape, target_at
from ik_node.tasks.point_tasks import PointTask
from ik_node.tasks.pose_tasks import PoseTask

_METRES = np.array([True] * 3 + [False] * 3)


@dataclass(eq=False, repr=False)
class Pose(BuiltInTask):
    """A point of a link at a position, and the orientation of the axes there.

    With T the target and the link's pose at the point, r = [R_Tᵀ (p − p_T); log(R_Tᵀ R)], along the
    target's axes, m and rad: m = 6 rows, fewer where a weight is 0. J = [R_Tᵀ J_v; J_l⁻¹(r_o) R_Tᵀ
    J_ω], with the left Jacobian of SO(3). Where one rotation alone has a weight its row is the
    heading of the link: the angle about that axis of the target from its next axis, cyclically, to
    the link's, in projection.

    - `link`; `point`: (3,) in its frame, m; `axes`: R_link_axes (3, 3), or a quaternion xyzw, of
      the axes at the point, by default those of the link.
    - `target`: T_world_target (4, 4), m, or None.
    - `weights`: (6,) of the rows, along the target's axes, linear first; 0 leaves that axis free.
    """

    link: str
    target: Annotated[Any, checks.optional(checks.pose)] = None
    weights: Annotated[Any, checks.axis_weights] = (1,) * 6
    point: Annotated[Any, checks.point] = (0, 0, 0)
    axes: Annotated[Any, checks.rotation] = (0, 0, 0, 1)

    target_kind = POSE

    def rows(self, body: Body) -> RowKinds:
        """Return what the rows are: those with a weight above 0."""
        if 0.0 not in self.weights.tolist():
            return rows(_METRES, weights=self.weights)
        targeted = self.weights > 0.0
        return rows(_METRES[targeted], weights=self.weights[targeted])

    def _record(self, body: Body, index: int) -> BodyTask:
        return PoseTask(index, body.link_index(self.link), self.weights > 0.0, self.point,
                        self.axes)

    def target_in(self, frames: BodyFrames) -> np.ndarray:
        T_world_target = frames.pose(self.link).copy()
        T_world_target[:3, :3] = T_world_target[:3, :3] @ self.axes
        T_world_target[:3, 3] = frames.position(self.link, self.point)
        return T_world_target

    @property
    def place(self) -> tuple[Any, ...]:
        """What tasks of the same axes at the same point of the same link have in common."""
        return self.link, self.T_link_axes.tobytes()

    @property
    def T_link_axes(self) -> np.ndarray:
        """The pose of the axes at the point (4, 4), m, in the link's frame."""
        return pose_from_rotation(self.axes, self.point)

    @property
    def target_weights(self) -> np.ndarray:
        weights: np.ndarray = self.weights
        return weights

    def _why_undefined(self, frames: BodyFrames) -> str:
        return why_no_heading(self.target, self.target_in(frames), self.weights)

    def drawing(self, frames: BodyFrames, size: float) -> list[Shape]:
        return [DrawnTarget(self.target)]


@dataclass(eq=False, repr=False)
class Position(BuiltInTask):
    """A point of a link at a position: r = p − target (3,), m, world axes; J = J_v(p).

    - `link`; `point`: (3,) in its frame, m.
    - `target`: (3,) m, world frame, or None.
    """

    link: str
    target: Annotated[Any, checks.optional(checks.point)] = None
    point: Annotated[Any, checks.point] = (0, 0, 0)

    target_kind = POINT
    _metres = (True,) * 3

    def _record(self, body: Body, index: int) -> BodyTask:
        return PointTask(index, body.link_index(self.link), self.point, np.eye(3))

    def target_in(self, frames: BodyFrames) -> np.ndarray:
        return frames.position(self.link, self.point)

    def drawing(self, frames: BodyFrames, size: float) -> list[Shape]:
        return [target_at(self.target)]


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
    _metres = tuple(_METRES)

    def _record(self, body: Body, index: int) -> BodyTask:
        return PoseTask(index, body.link_index(self.link), [True] * 6, ORIGIN, np.eye(3),
                        body.link_index(self.reference))

    def target_in(self, frames: BodyFrames) -> np.ndarray:
        T: np.ndarray = inverse(frames.pose(self.reference)) @ frames.pose(self.link)
        return T

    def drawing(self, frames: BodyFrames, size: float) -> list[Shape]:
        return [DrawnTarget(frames.pose(self.reference) @ self.target)]
