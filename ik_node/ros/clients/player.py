"""A node that publishes a recorded motion as joint states."""

from array import array
from typing import Any

from diagnostic_msgs.msg import DiagnosticStatus, KeyValue
from rcl_interfaces.msg import SetParametersResult
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.time import Time
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from std_srvs.srv import SetBool

from ik_node.mocap.playhead import MAX_SPEED, Playhead
from ik_node.mocap.recording import Recording
from ik_node.ros.execution.motion_clock import MotionClock
from ik_node.ros.parameters import declare, from_parameter
from ik_node.ros.topics import LATCHED
from ik_node.support.exceptions import OptionError
from ik_node.support.options import Spec

_STATUS_PERIOD = 0.2  # s of real time between two statuses


class Player(Node):
    """Publishes the joint states of a recording; time, speed and loop are parameters.

    The motion follows the ROS clock as motions of the node do: it pauses where the clock stands or
    is set back, and advances by at most half a second where the clock jumps forward.
    """

    def __init__(self, recording: Recording, playhead: Playhead, rate: float = 60.0,
                 topic: str = 'joint_states', description: bool = True,
                 steady: Clock | None = None, **arguments: Any) -> None:
        """Play a recording from a playhead, which is from then on the node's.

        rate: of joint states, Hz, on the topic. description: whether that of the robot is
        published. steady: the clock of what is independent of simulated time; by default a
        monotonic one. Raises OptionError where the topic cannot be used.
        """
        super().__init__('ik_play', **arguments)
        self._steady = steady or Clock(clock_type=ClockType.STEADY_TIME)
        self._recording, self._playhead = recording, playhead
        self._statuses = self.create_publisher(DiagnosticStatus, '~/status', 10)
        self._joint_state = JointState(name=recording.moving_joints)
        self._motion_clock: MotionClock | None = None
        self._seconds = 0.0
        self._specs = _specs(playhead)
        self._apply(declare(self, self._specs, {
            'time': playhead.time, 'speed': playhead.speed, 'loop': playhead.loop}))
        descriptor = self.describe_parameter('loop')
        descriptor.dynamic_typing = True  # values of other types are refused here, in words
        self.set_descriptor('loop', descriptor)
        self.add_on_set_parameters_callback(self._accept_or_refuse)
        self.add_post_set_parameters_callback(self._on_parameters)
        self.create_service(SetBool, '~/pause', self._on_pause)
        for warning in (*recording.tree.warnings, recording.outside_limits()):
            if warning:
                self.get_logger().warning(warning)
        if description:
            self._description = self.create_publisher(String, 'robot_description', LATCHED)
            self._description.publish(String(data=recording.tree.to_urdf()))
        try:
            self._states = self.create_publisher(JointState, topic, 10)
        except Exception as error:  # not a name, or a topic of another type in this process
            self.destroy_node()
            raise OptionError(f'the topic {topic!r} is not a valid name, or has another type: '
                              f'{error}') from error
        self.create_timer(1.0 / rate, self._publish)
        self.create_timer(_STATUS_PERIOD, self._report, clock=self._steady)
        self.get_logger().info(f'playing {recording.source}: {recording.n_frames} frames, '
                               f'{recording.duration:.3f} s')

    def _advance(self) -> int:
        """Let the motion follow the clock; return the stamp, ns, 0 before simulated time begins."""
        if self._motion_clock is None:
            # Before its first message simulated time is 0, from where it jumps to its beginning.
            stamp = int(self.get_clock().now().nanoseconds)
            if stamp == 0:
                return 0
            self._motion_clock = MotionClock(self, self._steady)
        seconds, stamp = self._motion_clock.read()
        self._playhead.advance(seconds - self._seconds)
        self._seconds = seconds
        return stamp

    def _publish(self) -> None:
        stamp = self._advance()
        if stamp:
            self._joint_state.header.stamp = Time(nanoseconds=stamp).to_msg()
            self._joint_state.position = array('d', self._recording.positions(self._playhead.time))
            self._states.publish(self._joint_state)

    def _report(self) -> None:
        self._advance()
        playhead, recording = self._playhead, self._recording
        message = 'paused' if playhead.paused else 'ended' if playhead.ended else 'playing'
        values = {
            'time': f'{playhead.time:.9g}', 'start': f'{playhead.start:.9g}',
            'stop': f'{playhead.stop:.9g}', 'duration': f'{recording.duration:.9g}',
            'frame': str(recording.frame(playhead.time) + 1), 'frames': str(recording.n_frames),
            'speed': f'{playhead.speed:.9g}', 'loop': str(playhead.loop).lower(),
            'paused': str(playhead.paused).lower()}
        self._statuses.publish(DiagnosticStatus(
            level=DiagnosticStatus.OK, name='ik_play: motion', message=message,
            hardware_id=recording.tree.name,
            values=[KeyValue(key=key, value=value) for key, value in values.items()]))

    def _on_pause(self, request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
        self._advance()
        self._playhead.paused = request.data
        self._publish()
        self._report()
        response.success = True
        response.message = (f'{"paused" if request.data else "playing"} at '
                            f'{self._playhead.time:.3f} s')
        return response

    def _accept_or_refuse(self, parameters: list[Parameter]) -> SetParametersResult:
        try:
            self._values(parameters)
        except OptionError as error:
            self.get_logger().warning(f'parameter refused: {error}')
            return SetParametersResult(successful=False, reason=str(error))
        return SetParametersResult(successful=True)

    def _on_parameters(self, parameters: list[Parameter]) -> None:
        values = self._values(parameters)
        if values:
            self._advance()  # so far with the values before
            self._apply(values)
            self._publish()
            self._report()

    def _values(self, parameters: list[Parameter]) -> dict[str, Any]:
        """Return the values of the own ones of some parameters. Raises OptionError."""
        return {parameter.name: from_parameter(parameter.name, parameter,
                                               self._specs[parameter.name])
                for parameter in parameters if parameter.name in self._specs}

    def _apply(self, values: dict[str, Any]) -> None:
        if 'time' in values:
            self._playhead.seek(values['time'])
        self._playhead.speed = values.get('speed', self._playhead.speed)
        self._playhead.loop = values.get('loop', self._playhead.loop)


def _specs(playhead: Playhead) -> dict[str, Spec]:
    return {
        'time': Spec(float, 'goes to this time of the motion whenever it is set; ~/status has the '
                     'present one', 's', low=playhead.start, high=playhead.stop),
        'speed': Spec(float, 'seconds of the motion per second of the clock', low=0.0,
                      high=MAX_SPEED, positive=True),
        'loop': Spec(bool, 'whether the motion begins again at its end'),
    }
