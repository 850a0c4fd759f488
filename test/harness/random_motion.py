"""Random goals, good and bad, and whatever else may happen to an arm that moves."""

import numpy as np
from geometry_msgs.msg import PointStamped, PoseArray, PoseStamped
from nav_msgs.msg import Path
from rclpy.qos import QoSProfile
from sensor_msgs.msg import JointState
from std_srvs.srv import SetBool, Trigger

from ik_node import KinematicTree
from ik_node.kinematics.reach import extent
from ik_node.motion.limits import motion_limits
from ik_node.ros.conversions import matrix_to_pose

_GOALS = ('near', 'near', 'near', 'anywhere', 'anywhere', 'far', 'stretched', 'malformed',
          'unknown frame', 'point', 'same', 'path', 'empty path')
_OTHERS = ('reset', 'enable', 'on_failure', 'publish_rate', 'speed', 'start_pose', 'solver',
           'motion')


class ApparentVelocity:
    """Compares (position, stamp) of consecutive joint states with the velocity limits.

    - `worst`: the largest velocity seen, as a ratio to its limit; `pair`: the two states of it.
    - `moving`: pairs in which a joint has moved.
    """

    def __init__(self, limits):
        """limits: {joint: rad/s or m/s}."""
        self.limits = limits
        self.worst, self.pair, self.moving = 0.0, None, 0
        self._last = None

    def add(self, message):
        """Take the next joint state."""
        stamp = message.header.stamp.sec * 10 ** 9 + message.header.stamp.nanosec
        state = dict(zip(message.name, message.position))
        last, self._last = self._last, (stamp, state)
        if last is None or last[1].keys() != state.keys():
            return
        passed = 1e-9 * (stamp - last[0])
        moved = np.array([abs(state[name] - last[1][name]) for name in self.limits])
        if not moved.any():
            return
        self.moving += 1
        if passed < 0.0:  # the clock was set back
            return
        # Stamps are whole nanoseconds.
        ratio = float((moved / np.array(list(self.limits.values()))).max() / (passed + 2e-9))
        if ratio > self.worst:
            self.worst, self.pair = ratio, (last, self._last)


class RandomMotion:
    """Drives a node with one arm at random.

    - `velocity`: of all joint states since; `heard`: how many; `newest`: the last of them.
    """

    def __init__(self, node, urdf, mode, rng):
        """mode: joint or cartesian."""
        self.node, self.mode, self.rng = node, mode, rng
        self.chain = chain = KinematicTree.from_urdf(urdf).chain()
        self.velocity = ApparentVelocity(dict(zip(
            chain.joint_names, motion_limits(chain).velocity.tolist())))
        self.heard, self.newest = 0, None
        self._goal = chain.forward(chain.neutral())
        self._publishers = {topic: node.node.create_publisher(kind, topic, QoSProfile(depth=1))
                            for kind, topic in ((PoseStamped, 'goal_pose'), (Path, 'goal_path'),
                                                (PointStamped, 'goal_point'),
                                                (PoseArray, 'goal_poses'))}
        node.node.create_subscription(JointState, 'joint_states', self._on_joints, 1000)
        assert node.until(lambda: self.newest is not None and all(
            publisher.get_subscription_count() for publisher in self._publishers.values()))

    def act(self, others=0.08):
        """Do one thing; others: the share of what is no goal."""
        self.go(str(self.rng.choice(_OTHERS if self.rng.random() < others else _GOALS)))

    def go(self, kind):
        getattr(self, f'_{kind.replace(" ", "_")}')()

    def _on_joints(self, message):
        self.newest = message
        self.heard += 1
        self.velocity.add(message)

    def _tip(self):
        """Return the pose of the tip where the arm is now."""
        values = dict(zip(self.newest.name, self.newest.position))
        return self.chain.forward([values[name] for name in self.chain.joint_names])

    def _send(self, T, frame=''):
        self._goal = T
        pose = PoseStamped(pose=matrix_to_pose(T))
        pose.header.frame_id = frame
        self._publishers['goal_pose'].publish(pose)

    def _offset(self, T, size):
        T = T.copy()
        T[:3, 3] += self.rng.normal(scale=size, size=3)
        return T

    def _near(self):
        self._send(self._offset(self._tip(), 0.05))

    def _anywhere(self):
        lower = np.maximum(self.chain.lower, -np.pi)
        upper = np.minimum(self.chain.upper, np.pi)
        self._send(self.chain.forward(self.rng.uniform(lower, upper)))

    def _far(self):
        self._send(self._offset(self._tip(), 3.0))

    def _stretched(self):
        """Send a goal near the end of the reach, whose orientation is seldom possible there."""
        center, radius, *_ = extent(self.chain.arrays)
        direction = self.rng.normal(size=3)
        T = self._tip()
        T[:3, 3] = center + 0.9 * radius * direction / np.linalg.norm(direction)
        self._send(T)

    def _malformed(self):
        pose = PoseStamped()
        pose.pose.position.x = float('nan')
        self._publishers['goal_pose'].publish(pose)

    def _unknown_frame(self):
        self._send(self._tip(), 'nowhere')

    def _point(self):
        self._publishers['goal_point'].publish(PointStamped(
            point=matrix_to_pose(self._offset(self._tip(), 0.1)).position))

    def _same(self):
        self._send(self._goal)

    def _path(self):
        poses, T = [], self._tip()
        for _ in range(int(self.rng.integers(1, 4))):
            T = self._offset(T, 0.04)
            poses.append(matrix_to_pose(T))
        if self.rng.random() < 0.5:
            self._publishers['goal_poses'].publish(PoseArray(poses=poses))
        else:
            self._publishers['goal_path'].publish(Path(
                poses=[PoseStamped(pose=pose) for pose in poses]))

    def _empty_path(self):
        self._publishers['goal_path'].publish(Path())

    def _reset(self):
        self.node.call(Trigger, 'ik_node/reset', Trigger.Request())

    def _enable(self):
        for enabled in (False, True):
            self.node.call(SetBool, 'ik_node/enable', SetBool.Request(data=enabled))

    def _on_failure(self):
        self.node.set(on_failure=str(self.rng.choice(['hold', 'closest'])))

    def _publish_rate(self):
        self.node.set(publish_rate=float(self.rng.choice([10.0, 100.0, 300.0])))

    def _speed(self):
        self.node.set(speed=float(self.rng.choice([0.3, 1.0, 1.0])))

    def _start_pose(self):
        lower, upper = np.maximum(self.chain.lower, -2.0), np.minimum(self.chain.upper, 2.0)
        self.node.set(start_pose=self.rng.uniform(0.5 * lower, 0.5 * upper).tolist())

    def _solver(self):
        self.node.set(solver=str(self.rng.choice(['dls', 'dls', 'pseudoinverse'])))

    def _motion(self):
        """Change to the other kind of motion for some goals, and back."""
        self.node.set(motion='cartesian' if self.mode == 'joint' else 'joint')
        for goal in (self._near, self._anywhere):
            goal()
            self.node.spin(0.05)
        self.node.set(motion=self.mode)
