"""Calls ~/compute_ik as MoveIt's srv_kinematics_plugin does: each field as its C++ code sets it.

Where moveit_msgs is not installed, plain objects with the same fields stand in for its messages.
"""

import importlib.util
import sys
from types import ModuleType

from builtin_interfaces.msg import Duration
from geometry_msgs.msg import PoseStamped
from sensor_msgs.msg import JointState, MultiDOFJointState
from std_srvs.srv import Trigger

from ik_node.ros.conversions import matrix_to_pose

IS_INSTALLED = importlib.util.find_spec('moveit_msgs') is not None


def _message(kind, /, **fields):
    """Return a type that has these fields, made by functions, and no others."""
    def begin(self):
        for field, make in fields.items():
            setattr(self, field, make())
    return type(kind, (), {'__slots__': tuple(fields), '__init__': begin})


_RobotState = _message('RobotState', joint_state=JointState, is_diff=bool,
                       multi_dof_joint_state=MultiDOFJointState, attached_collision_objects=list)
_Constraints = _message('Constraints', name=str, **dict.fromkeys((
    'joint_constraints', 'position_constraints', 'orientation_constraints',
    'visibility_constraints'), list))
_PositionIKRequest = _message(
    'PositionIKRequest', group_name=str, robot_state=_RobotState, constraints=_Constraints,
    avoid_collisions=bool, ik_link_name=str, pose_stamped=PoseStamped, ik_link_names=list,
    pose_stamped_vector=list, timeout=Duration)


class _GetPositionIK(Trigger):  # rclpy asks a service for its type support
    Request = _message('Request', ik_request=_PositionIKRequest)
    Response = _message('Response', solution=_RobotState, error_code=_message(
        'MoveItErrorCodes', val=int, message=str, source=str))


def service_type(monkeypatch=None):
    """Return the type GetPositionIK; monkeypatch: with which its stand-in may be installed."""
    if IS_INSTALLED or monkeypatch is None:
        from moveit_msgs.srv import GetPositionIK
        return GetPositionIK
    package, services = ModuleType('moveit_msgs'), ModuleType('moveit_msgs.srv')
    services.GetPositionIK = _GetPositionIK
    monkeypatch.setitem(sys.modules, 'moveit_msgs', package)
    monkeypatch.setitem(sys.modules, 'moveit_msgs.srv', services)
    return _GetPositionIK


class SrvKinematicsPlugin:
    """The plugin for one group of a robot, a part of `SrvKinematicsPlugin::searchPositionIK`.

    call: sends a request of the type `service` and returns the response. joints: those of the
    group, which its seeds are of.

    - `code`, `message`: of the last response.
    """

    def __init__(self, service, call, tree, group_name, base_frame, tip_frames, joints):
        self._service, self._call, self._tree = service, call, tree
        self._group_name, self._base_frame, self._tip_frames = group_name, base_frame, tip_frames
        self.joints = list(joints)
        self.code, self.message = 0, ''
        # RobotState::setToDefaultValues: zero inside the limits, else the middle of them.
        self._state = {}
        for name in tree.independent_joints:
            lower, upper = tree.limits(name)
            self._state[name] = 0.0 if lower <= 0.0 <= upper else 0.5 * (lower + upper)

    def search(self, poses, seed):
        """Return the joint values of the group for poses (4, 4) of its tips; None without any."""
        request = self._service.Request()
        own = request.ik_request
        own.avoid_collisions = True
        own.group_name = self._group_name
        self._state.update(zip(self.joints, map(float, seed)))
        self._to_message(own.robot_state)
        stamped = [PoseStamped(pose=matrix_to_pose(T)) for T in poses]
        for pose in stamped:
            pose.header.frame_id = self._base_frame
        if len(self._tip_frames) > 1:
            own.pose_stamped_vector, own.ik_link_names = stamped, list(self._tip_frames)
        else:
            own.pose_stamped, own.ik_link_name = stamped[0], self._tip_frames[0]
        response = self._call(request)
        self.code, self.message = response.error_code.val, response.error_code.message
        if self.code != 1:
            return None
        self._from_message(response.solution)
        return [self._state[name] for name in self.joints]

    def _values(self):
        """Return the values of all joints with one variable, those that follow others too."""
        return {name: multiplier * self._state[source] + offset for name, joint in
                self._tree.joints.items() if joint.moves
                for source, multiplier, offset in [self._tree.drives[name]]}

    def _to_message(self, state):  # robotStateToRobotStateMsg
        values = self._values()
        state.joint_state.header.frame_id = self._tree.root
        state.joint_state.name, state.joint_state.position = list(values), list(values.values())
        state.multi_dof_joint_state.header.frame_id = self._tree.root
        state.is_diff = False

    def _from_message(self, state):  # robotStateMsgToRobotState
        joints, values = state.joint_state, self._values()
        assert len(joints.name) == len(joints.position) > 0
        for name, position in zip(joints.name, joints.position):
            assert name in values, f'MoveIt has no joint {name!r}'  # it throws
            if name in self._state:
                self._state[name] = position
