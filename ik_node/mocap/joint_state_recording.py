"""Recorded motions from printed sensor_msgs/JointState, each a frame at its stamp.

As `ros2 topic echo /joint_states` prints them:

    header: {stamp: {sec: 12, nanosec: 500000000}, frame_id: ''}
    name: [shoulder, elbow]
    position: [0.10, -0.30]
    ---
    header: {stamp: {sec: 12, nanosec: 510000000}, frame_id: ''}
    name: [shoulder, elbow]
    position: [0.11, -0.31]
    ---

Velocities and efforts are not used. Several publishers may each have some of the joints; values of
a joint between its own messages are interpolated.
"""

from collections import defaultdict
from typing import Any

import numpy as np

from ik_node.mocap.printed_messages import (
    SECOND,
    Message,
    joint_values,
    listed,
    mapping,
    stamp,
)
from ik_node.mocap.recording import Recording, own_columns, unwrapped
from ik_node.model.joints import CONTINUOUS
from ik_node.model.root_joints import rooted_for
from ik_node.model.tree import KinematicTree
from ik_node.support.exceptions import ModelError, shown

_KEYS = ('header', 'name', 'position', 'velocity', 'effort')


def is_joint_state(values: Any) -> bool:
    """Return whether a message is a JointState, by its keys."""
    return isinstance(values, dict) and ('name' in values or 'position' in values)


def read_joint_states(messages: list[Message], tree: KinematicTree, what: str) -> Recording:
    """Return the motion of some JointState messages; see the module.

    Raises ModelError for an invalid one, naming its entry.
    """
    places: dict[Any, str] = {}  # of joints: where they first appear
    last: dict[tuple[Any, ...], int] = {}  # stamps, by the joints of a message
    times: dict[Any, list[int]] = defaultdict(list)  # ns, of each joint
    values: dict[Any, list[float]] = defaultdict(list)
    for message in messages:
        state = mapping(message.values, _KEYS, message.where)
        joint_names = listed(state.get('name'), f'{message.where}: name')
        own = _checked(joint_names, places, last, message.where)
        positions = joint_values(state.get('position'), joint_names,
                                 f'{message.where}: position')
        time = stamp(state, message.where)
        if time <= last.get(own, -1):
            raise ModelError(f'{message.where}: header.stamp must be later than that of the '
                             f'message of the same joints before, {last[own] / SECOND:.9f} s, '
                             f'not {time / SECOND:.9f} s')
        last[own] = time
        for name, position in zip(joint_names, positions):
            if times[name] and time <= times[name][-1]:
                continue  # of another publisher that has the joint, too
            times[name].append(time)
            values[name].append(position)
    tree = rooted_for(list(places), tree)
    own_columns(list(places), tree, lambda i: list(places.values())[i] if places else
                f'{messages[0].where}: name')
    begin = min(times[name][0] for name in places)
    every = sorted({time for name in places for time in times[name]})
    seconds = np.array([time - begin for time in every]) / SECOND
    columns = []
    for name in places:
        column = np.array(values[name])
        if tree.joints[name].type == CONTINUOUS:
            column = unwrapped(column)
        own_seconds = np.array([time - begin for time in times[name]]) / SECOND
        columns.append(np.interp(seconds, own_seconds, column))
    return Recording(tree, list(places), seconds, np.column_stack(columns), what)


def _checked(joint_names: list[Any], places: dict[Any, str], last: dict[tuple[Any, ...], int],
             where: str) -> tuple[Any, ...]:
    """Return the joints of a message, and note where new ones appear. Raises ModelError."""
    try:
        own = tuple(joint_names)
        if own in last:
            return own
    except TypeError:
        pass  # not all are texts
    seen = set()
    for i, name in enumerate(joint_names):
        if not isinstance(name, str) or name in seen:
            raise ModelError(f'{where}: name[{i}] must be the name of a joint that is not named '
                             f'before, not {shown(name)}')
        seen.add(name)
        places.setdefault(name, f'{where}: name[{i}]')
    return own
