"""The pairs of each group that are nearest to contact, found beside the executor's thread."""

from collections.abc import Sequence

import numpy as np

from ik_node.collision import CollisionModel, Contact
from ik_node.control.group import Group
from ik_node.control.robot import Robot
from ik_node.control.worker import START, Job, LongSearch, Worker
from ik_node.ros.log import ThrottledLog, reason_of

_MOST = 3       # pairs
# Of the size of the group, at most 2 m: how far apart they are at most. Some of a robot's own links
# are always near one another.
_NEAR, _NEAR_ITSELF = 0.1, 0.02


class Nearest:
    """The nearest pairs of groups whose solvers avoid collisions, as of a moment ago."""

    def __init__(self, worker: Worker, log: ThrottledLog) -> None:
        self._worker, self._log = worker, log
        self._found: dict[str, tuple[object, Sequence[Contact]]] = {}  # with the state then

    def of(self, robot: Robot, group: Group) -> Sequence[Contact]:
        """Return the nearest pairs of a group; others are looked for where it has moved."""
        model = group.solver.collisions
        if model is None:
            self._found.pop(group.name, None)
            return ()
        group.place_others(robot.present)
        q = robot.joint_configuration(group)
        before, pairs = self._found.get(group.name, ((), ()))
        state = model, group.collisions.world, model.robot, q.tobytes()
        key = 'nearest pairs', group.name
        if state != before and not self._worker.is_busy(key):
            self._worker.begin(key, self._find(group, model, q, state))
        return pairs

    def _find(self, group: Group, model: CollisionModel, q: np.ndarray,
              state: tuple[object, ...]) -> Job[None]:
        pairs: tuple[Contact, ...] = ()
        yield START
        try:
            pairs = yield LongSearch(nearest_pairs, model, q, group.size)
        except Exception as error:  # a defect, which must not stop the node
            reason_of(error, self._log.warn)
        self._found[group.name] = state, pairs


def nearest_pairs(model: CollisionModel, q: np.ndarray, size: float) -> tuple[Contact, ...]:
    """Return the pairs at q (n,) nearest to contact, the nearest first, one for each obstacle.

    size: of the group, m.
    """
    size = min(size, 2.0)
    own = {*model.space.tree.links, *(one.name for one in model.obstacles if one.link is not None)}
    found: dict[tuple[str, ...], Contact] = {}
    for pair in model.contacts(q, model.margin + _NEAR * size):
        if pair.second not in own:
            found.setdefault((pair.second,), pair)
        elif pair.distance <= model.margin + _NEAR_ITSELF * size:
            found.setdefault((pair.first, pair.second), pair)
    return tuple(found.values())[:_MOST]
