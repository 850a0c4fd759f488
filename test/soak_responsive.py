"""Runs the node among inputs that take long, and measures whether it stays responsive meanwhile.

    python test/soak_responsive.py --count 3 --seed 0 --kinds paths obstacles

Joint states are published at 50 Hz; beside them a service is called again and again, from another
process. No two joint states may be farther apart than 0.1 s, and no answer may take longer than
0.2 s, on a machine with nothing else to do. Each kind of input is a generator function below, which
yields after each input how long to watch the node, s; add one, and name it in KINDS.
"""

import multiprocessing
import time

import numpy as np
from geometry_msgs.msg import Point, PoseArray, PoseStamped
from nav_msgs.msg import Path as PathMsg
from rcl_interfaces.srv import GetParameters
from rclpy.qos import QoSProfile
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from std_srvs.srv import Trigger
from visualization_msgs.msg import Marker, MarkerArray

import robots
from harness.ros_harness import LATCHED, NodeUnderTest, seconds
from harness.ros_harness import given as as_arguments
from harness.soak_runner import run_soak
from ik_node.ros.conversions import matrix_to_pose

GAP, ANSWER = 0.1, 0.2  # s
ARM = robots.OWN / 'arm_6r.urdf'


class Load:
    """A node, and what sends it inputs."""

    def __init__(self, node, rng):
        self.node, self.rng = node, rng
        self.descriptions = node.node.create_publisher(String, 'robot_description', LATCHED)
        self.describe(ARM.read_text())
        assert node.until(lambda: 'ready: ' in node.log()), node.log()
        self.chain = robots.chain('arm_6r')
        self._publishers = {}

    def publish(self, topic, message):
        if topic not in self._publishers:
            publisher = self.node.node.create_publisher(type(message), topic, QoSProfile(depth=10))
            assert self.node.until(lambda: publisher.get_subscription_count() > 0), self.node.log()
            self._publishers[topic] = publisher
        self._publishers[topic].publish(message)

    def describe(self, text):
        self.descriptions.publish(String(data=text))

    def set(self, **values):
        assert self.node.set(**values) == (True, ''), values

    def random_q(self, inside=0.5):
        """Return a configuration (n,) in a part of the limits, rad."""
        return robots.random_q(self.chain, self.rng, inside)

    def pose(self, q=None):
        """Return the pose of the tip at a configuration, at random by default, as a message."""
        return matrix_to_pose(self.chain.forward(self.random_q() if q is None else q))

    def line(self, count):
        """Return poses on a smooth path through joint space."""
        begin, end = self.random_q(), self.random_q()
        return [self.pose(begin + part * (end - begin)) for part in np.linspace(0.0, 1.0, count)]

    def marker(self, size, frame='', place=(0.0, 0.0, 0.0), number=0):
        """Return a box, of a size (3,), m, in a frame."""
        marker = Marker(type=Marker.CUBE, id=number)
        marker.header.frame_id = frame
        marker.pose.position = Point(x=place[0], y=place[1], z=place[2])
        marker.pose.orientation.w = 1.0
        marker.scale.x, marker.scale.y, marker.scale.z = map(float, size)
        return marker

    def clear(self):
        self.publish('ik_node/obstacles', MarkerArray(markers=[Marker(action=Marker.DELETEALL)]))


def paths(load):
    """Send paths of many poses in every mode of motion, the last of them too long."""
    for motion in ('joint', 'cartesian', 'jump'):
        load.set(motion=motion)
        for count in (100, 600, 2000, 10_000, 100_000):
            poses = load.line(min(count, 2000)) * max(count // 2000, 1)
            load.publish('goal_poses', PoseArray(poses=poses))
            yield 4.0
            load.publish('goal_path', PathMsg(poses=[PoseStamped(pose=pose) for pose in poses]))
            yield 4.0
            load.publish('goal_path', PathMsg())
            yield 0.5


def goals(load):
    """Send goals in quick succession, and joint values, and go to the start, while arms move."""
    for motion in ('joint', 'cartesian'):
        load.set(motion=motion)
        for _ in range(20):
            load.publish('goal_pose', PoseStamped(pose=load.pose()))
            yield 0.2
        load.publish('goal_joints', JointState(name=list(load.chain.joint_names),
                                               position=load.random_q().tolist()))
        yield 0.3
        load.node.call(Trigger, 'ik_node/reset', Trigger.Request())
        yield 0.3


def obstacles(load):
    """Send huge and many obstacles, in the world and on links, while arms move."""
    load.set(dls__avoid_collisions=True, solver='dls')
    links = load.chain.links
    for motion in ('joint', 'cartesian'):
        load.set(motion=motion)
        for size in (1e2, 1e4, 1e6, 1e8):
            for frame in ('', links[2], links[-1]):
                away = 0.5 * size + 1.5
                place = [(away, 0.0, 0.0), (0.0, 0.0, -away), (0.0, -away, 0.0)][
                    load.rng.integers(3)]
                load.publish('ik_node/obstacles', MarkerArray(
                    markers=[load.marker((size,) * 3, frame, place)]))
                for _ in range(3):
                    load.publish('goal_pose', PoseStamped(pose=load.pose()))
                    yield 0.5
                load.publish('goal_joints', JointState(name=list(load.chain.joint_names),
                                                       position=load.random_q().tolist()))
                yield 0.5
                load.node.call(Trigger, 'ik_node/reset', Trigger.Request())
                yield 0.5
                load.clear()
        for count in (100, 1000, 9000):
            load.publish('ik_node/obstacles', MarkerArray(markers=[
                load.marker(load.rng.uniform(0.01, 0.1, 3), '', load.rng.uniform(0.5, 2.0, 3),
                            number) for number in range(count)]))
            for _ in range(3):
                load.publish('goal_pose', PoseStamped(pose=load.pose()))
                yield 1.0
        load.publish('ik_node/obstacles', MarkerArray(markers=[Marker(
            type=Marker.LINE_STRIP, points=[Point(x=2.0, y=0.001 * k) for k in range(50_000)])]))
        yield 2.0
        load.clear()
        yield 0.5
    load.set(dls__avoid_collisions=False, solver='auto')


def parameters(load):
    """Set parameters that build the robot anew, from files and texts, while it moves."""
    load.set(motion='joint')
    text = ARM.read_text()
    for solver in ('dls', 'analytic', 'auto', 'optimization', 'genetic', 'ccd'):
        load.publish('goal_pose', PoseStamped(pose=load.pose()))
        load.set(solver=solver)
        yield 0.3
    load.set(solver='auto', auto__avoid_collisions=True)
    yield 0.3
    load.set(auto__avoid_collisions=False)
    yield 0.3
    for k in range(3):
        load.set(robot_description=text.replace('<robot', f'<!-- {k} --><robot', 1))
        yield 0.3
    load.set(robot_description='', urdf_path=str(ARM))
    yield 0.3
    load.set(urdf_path='')
    yield 0.3


def services(load):
    """Ask for branches, with markers of them, and for the start pose."""
    load.node.listen(MarkerArray, 'ik_node/markers')
    load.set(show_branches=True, publish_solutions=True, motion='jump')
    for _ in range(10):
        load.publish('goal_pose', PoseStamped(pose=load.pose()))
        load.node.call(Trigger, 'ik_node/solve_all', Trigger.Request())
        yield 0.2
        load.node.call(Trigger, 'ik_node/reset', Trigger.Request())
        yield 0.2
    load.set(show_branches=False, publish_solutions=False)


def descriptions(load):
    """Publish descriptions, valid and not."""
    load.set(motion='jump')
    for name in ('arm_7r', 'humanoid', 'arm_6r'):
        load.describe((robots.OWN / f'{name}.urdf').read_text())
        yield 1.0
    load.describe('<robot' + 'x' * 8_000_000)
    yield 1.0


KINDS = {kind.__name__: kind for kind in (paths, goals, obstacles, parameters, services,
                                          descriptions)}


def watch(domain, pipe):
    """Measure in a process of its own, between two messages of the pipe; send the figures there."""
    from ik_node.ros.clients.client import Client
    with Client(domain_id=domain) as client:
        stamps, answers = [], []
        client.node.create_subscription(JointState, 'joint_states', lambda message: stamps.append(
            seconds(message.header.stamp)), 1000)
        service = client.node.create_client(GetParameters, 'ik_node/get_parameters')
        assert client.spin_until(service.service_is_ready, 60.0)
        while True:
            sent = time.perf_counter()
            future = service.call_async(GetParameters.Request(names=['solver']))
            client.spin_until(future.done, 600.0)
            answers.append(time.perf_counter() - sent)
            client.spin_until(lambda: False, 0.01)
            if pipe.poll():
                if pipe.recv() == 'end':
                    return
                pipe.send((max(np.diff(stamps), default=0.0), max(answers)))
                del stamps[:-1], answers[:]


def soak(given) -> list[str]:
    """Return where the node was not responsive."""
    slow = []
    with NodeUnderTest(*as_arguments({'publish_rate': 50.0})) as node:
        load = Load(node, np.random.default_rng(given.seed))
        here, there = multiprocessing.get_context('spawn').Pipe()
        watcher = multiprocessing.get_context('spawn').Process(
            target=watch, args=(node._domain.id, there), daemon=True)
        watcher.start()
        node.spin(3.0)

        def figures():
            here.send('figures')
            assert node.until(here.poll, 700.0), 'no figures'
            return here.recv()
        figures()
        for _ in range(given.count):
            for name in given.kinds:
                worst = np.zeros(2)
                for i, duration in enumerate(KINDS[name](load)):
                    node.spin(duration)
                    found = np.array(figures())
                    worst = np.maximum(worst, found)
                    if (found > (GAP, ANSWER)).any():
                        slow.append(f'{name}, input {i}: joint states {found[0]:.3f} s apart, an '
                                    f'answer after {found[1]:.3f} s')
                print(f'{name}: joint states at most {worst[0]:.3f} s apart, answers within '
                      f'{worst[1]:.3f} s', flush=True)
        here.send('end')
        watcher.join(10.0)
        if not node.alive() or 'internal error' in node.log():
            slow.append('the node has raised')
            print(node.log()[-3000:])
    return slow


if __name__ == '__main__':
    run_soak(soak, __doc__, count=1, kinds=list(KINDS))
