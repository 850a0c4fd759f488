"""Runs the node for minutes among random good and bad goals, parameters, robots and clocks.

    python test/soak_node.py --minutes 10 --seed 0

It must not raise, never call a success what forward kinematics from the XML does not confirm at
the joint states it publishes, never publish a joint state that is incomplete or outside the
limits, and not grow: its memory at the end is compared with that after a fifth of the time.
"""

from pathlib import Path

import numpy as np
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import PointStamped, PoseStamped
from nav_msgs.msg import Path as PathMsg
from rclpy.qos import QoSProfile
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from std_msgs.msg import String
from std_srvs.srv import Trigger

import robots
import soak_checks
from harness.ros_harness import LATCHED, NodeUnderTest
from harness.soak_runner import Progress, run_soak
from ik_node import KinematicTree
from ik_node.ros.conversions import matrix_to_pose
from ik_node.ros.publishing.status import seconds
from plain_kinematics import PlainRobot

OWN = ('arm_6r', 'arm_7r', 'scara', 'planar_3r')
SOLVERS = ('dls', 'pseudoinverse', 'auto', 'analytic', 'ccd', 'transpose')
WEIGHTS = [[1.0] * 6] * 3 + [[1.0, 1.0, 1.0, 0.0, 0.0, 0.0], [1.0, 1.0, 1.0, 0.0, 0.0, 1.0]]
BAD_TEXTS = ('', 'no XML', '/etc/passwd', '<robot name="r"><link></robot>', '<robot name="r"/>')
BAD_PARAMETERS = [
    {'solver': 'lm'}, {'dls__max_step': -1.0}, {'dls__damping': 'much'}, {'tip_link': 'nowhere'},
    {'task_weights': [1.0] * 5}, {'urdf_path': '/nowhere.urdf'}, {'publish_rate': float('nan')},
    {'robot_description': 'no XML'}, {'start_pose': [9e9] * 6}, {'solver': 7}]
GROWTH = 0.02  # of the memory, at most


class Soak:
    """A node under load, and what is counted."""

    def __init__(self, node, rng):
        self.node, self.rng = node, rng
        self.texts = {name: (robots.OWN / f'{name}.urdf').read_text() for name in OWN}
        self.plain = {name: PlainRobot(text, KinematicTree.from_urdf(text).chain().tip_link)
                      for name, text in self.texts.items()}
        self.counts = dict.fromkeys(
            ('goals', 'met', 'refused', 'unanswered', 'false successes', 'joint states',
             'bad joint states', 'parameters', 'robots', 'clock jumps'), 0)
        self.robot, self.weights, self.newest = 'arm_6r', [1.0] * 6, JointState()
        self.now = 1000.0
        create = node.node.create_publisher
        self.description = create(String, 'robot_description', LATCHED)
        self.clock = create(Clock, '/clock', 10)
        self.poses, self.points, self.paths = (
            create(kind, topic, QoSProfile(depth=1)) for kind, topic in (
                (PoseStamped, 'goal_pose'), (PointStamped, 'goal_point'), (PathMsg, 'goal_path')))
        self.statuses = node.listen(DiagnosticStatus, 'ik_node/status', 100)
        node.node.create_subscription(JointState, 'joint_states', self._on_joints, 100)

    def act(self):
        """Do one thing at random."""
        self._tick()
        what = self.rng.random()
        if what < 0.70:
            self.good_goal()
        elif what < 0.85:
            self._bad_goal()
        elif what < 0.93:
            self._change_parameters()
        elif what < 0.97:
            self.change_robot(str(self.rng.choice(OWN)))
        elif what < 0.98:
            self.description.publish(String(data=str(self.rng.choice(BAD_TEXTS))))
        elif what < 0.99:
            self.node.call(Trigger, f'ik_node/{self.rng.choice(["reset", "solve_all"])}',
                           Trigger.Request())
        else:
            self.node.set(use_sim_time=bool(self.rng.random() < 0.7))

    def good_goal(self):
        """Send a goal that can be met, or, one time in five, one somewhere else."""
        plain = self.plain[self.robot]
        T = plain.forward(plain.random(self.rng))
        if self.rng.random() < 0.2:
            T[:3, 3] += self.rng.normal(scale=0.5 * np.linalg.norm(T[:3, 3]) + 0.01, size=3)
        self.counts['goals'] += 1
        status = self._answer(T)
        if status is None:
            self.counts['unanswered'] += 1
            print(f'\nUNANSWERED: {self.robot} {T.tolist()}\n{self.node.log()[-1500:]}')
            return
        met = status.level == status.OK
        solver = {pair.key: pair.value for pair in status.values}['solver']
        self.counts['met'] += met

        def holds():
            T_tip = plain.forward(dict(zip(self.newest.name, self.newest.position)))
            tolerance = 2e-4 if solver in ('ccd', 'transpose') else 2e-6
            return max(soak_checks.pose_errors(T_tip, T, self.weights)) <= tolerance
        # The joint states may come after the answer: what DDS loses it sends again within 3 s.
        if met and not holds() and not self.node.until(holds, 10.0):
            self.counts['false successes'] += 1
            print(f'\nFALSE: {self.robot} {self.weights} {T.tolist()} {status} {self.newest}')

    def _answer(self, T):
        """Send a goal; return its status, None where none comes.

        Not by `Client.send`, which wants the very joint states that go with it: of 300 a second
        some are lost where nobody has the time to take them.
        """
        goal = PoseStamped(pose=matrix_to_pose(T))
        goal.header.stamp = self.node.node.get_clock().now().to_msg()
        stamp = seconds(goal.header.stamp)
        del self.statuses[:]
        self.poses.publish(goal)

        def own():
            return [status for status in self.statuses
                    if any(pair.key == 'goal_stamp' and pair.value == stamp
                           for pair in status.values)]
        return own()[0] if self.node.until(own, 60.0) else None

    def change_robot(self, name):
        """Send another robot, and wait until its joint states come."""
        self.counts['robots'] += 1
        self.robot = name
        self.description.publish(String(data=self.texts[name]))
        plain = self.plain[name]
        assert self.node.until(lambda: self._tick() or sorted(self.newest.name) == sorted(
            plain.limits), 90.0), (name, self.newest.name, self.node.log()[-2000:])

    def set_solver(self, solver):
        """Set the solver where it fits, and loosen those for which the last digits are far."""
        loose = {f'{solver}__{which}_tolerance': 1e-4 for which in ('position', 'orientation')
                 } if solver in ('ccd', 'transpose') else {}
        return self.node.set(solver=solver, **loose, **{f'{solver}__max_restarts': 10})

    def load_kernels(self):
        """Have every kernel there is loaded, so that what memory grows by later is no code."""
        for name in OWN:
            self.change_robot(name)
            for solver in SOLVERS:
                if not self.set_solver(solver)[0]:
                    continue
                for weights in WEIGHTS[2:]:
                    if self.node.set(task_weights=weights)[0]:
                        self.weights = weights
                        self.good_goal()
                        self.node.call(Trigger, 'ik_node/solve_all', Trigger.Request())

    def _bad_goal(self):
        self.counts['refused'] += 1
        header = PoseStamped().header
        header.frame_id = str(self.rng.choice(['', 'nowhere', 'x' * 1000, '/']))
        pose = PoseStamped(header=header)
        numbers = self.rng.choice([np.nan, np.inf, 1e308, 5e-324, 0.0, 0.5], size=7).tolist()
        pose.pose.position.x, pose.pose.position.y, pose.pose.position.z = numbers[:3]
        pose.pose.orientation.x, pose.pose.orientation.w = numbers[3:5]
        point = PointStamped(header=header, point=pose.pose.position)
        path = PathMsg(header=header, poses=[pose] * int(self.rng.integers(0, 30)))
        publisher, message = ((self.poses, pose), (self.points, point), (self.paths, path))[
            self.rng.integers(3)]
        publisher.publish(message)
        self.node.spin(0.01)

    def _change_parameters(self):
        self.counts['parameters'] += 1
        what = self.rng.integers(4)
        if what == 0:
            successful, reason = self.node.set(**BAD_PARAMETERS[
                self.rng.integers(len(BAD_PARAMETERS))])
            assert not successful, 'a bad parameter was taken'
            assert reason
        elif what == 1:
            self.set_solver(str(self.rng.choice(SOLVERS)))
        elif what == 2:
            weights = WEIGHTS[self.rng.integers(len(WEIGHTS))]
            if self.node.set(task_weights=weights)[0]:
                self.weights = weights
        else:
            self.node.set(publish_rate=float(self.rng.choice([0.0, 30.0, 300.0])),
                          publish_solutions=bool(self.rng.random() < 0.3))

    def _tick(self):
        """Let the clock go on, and now and then jump."""
        self.now += 0.01
        if self.rng.random() < 0.02:
            self.counts['clock jumps'] += 1
            self.now = float(self.rng.uniform(0.0, 2000.0))
        message = Clock()
        message.clock.sec, message.clock.nanosec = int(self.now), int(self.now % 1.0 * 1e9)
        self.clock.publish(message)

    def _on_joints(self, message):
        self.counts['joint states'] += 1
        self.newest = message
        faults = [plain.faults(message.name, message.position) for plain in self.plain.values()]
        if all(faults):
            self.counts['bad joint states'] += 1
            print(f'\nBAD: {message.name} {message.position}: {faults}')


def resident(pid):
    """Return how much memory a process has, MB."""
    for line in Path(f'/proc/{pid}/status').read_text().splitlines():
        if line.startswith('VmRSS'):
            return int(line.split()[1]) / 1024
    raise RuntimeError(f'there is no process {pid}')


def soak(given) -> list[str]:
    """Return what went wrong."""
    with NodeUnderTest('-p', 'use_sim_time:=true', '-p', 'start_pose:=none') as node:
        load = Soak(node, np.random.default_rng(given.seed))
        load.description.publish(String(data=load.texts['arm_6r']))
        assert node.until(lambda: load._tick() or 'ready: ' in node.log(), 240.0), node.log()
        load.load_kernels()
        progress, seconds, before, actions, series = Progress(), 60.0 * given.minutes, 0.0, 0, []
        while progress.seconds < seconds and node.alive():
            load.act()
            actions += 1
            if progress.show(f'{progress.seconds:5.0f} s, {actions} actions'):
                series.append(resident(node.process.pid))
                if not before and progress.seconds > 0.2 * seconds:
                    before = series[-1]
        alive, log = node.alive(), node.log()
        growth = resident(node.process.pid) / before - 1.0 if alive and before else np.inf
        counts = load.counts
        print(f'\n{actions} actions: {", ".join(f"{n} {name}" for name, n in counts.items())}')
        print(f'memory {before:.1f} MB after a fifth of the time, {growth:+.2%} at the end; every '
              f'5 s: {" ".join(f"{mb:.1f}" for mb in series[::max(1, len(series) // 20)])}')
        faults = [name for name in ('unanswered', 'false successes', 'bad joint states')
                  if counts[name]]
        faults += [] if alive else ['the node has ended, or has raised']
        faults += [] if 'internal error' not in log else ['an internal error']
        faults += [] if growth < GROWTH else ['the memory has grown']
        if faults:
            at = max(0, log.find('Traceback') - 500) or log.find('internal error') or -1000
            print(log[at:][:3000])
    return faults


if __name__ == '__main__':
    run_soak(soak, __doc__, minutes=10.0)
