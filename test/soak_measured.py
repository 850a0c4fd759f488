"""Measures joints of robots at random, and compares what a node does with forward kinematics.

    python test/soak_measured.py --steps 100 --seed 0

At each step all joints are measured somewhere, those that no goal moves also outside their limits.
Published joint states must have them, mimics included; a goal in the frame of any link, now or at a
stamp, must be met where forward kinematics of all measured joints has that frame; and no solution
may touch a box that is where these joints bring the arm. Joint states must have no gap.
"""

import tempfile
from pathlib import Path

import numpy as np
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import PoseStamped
from rclpy.duration import Duration
from sensor_msgs.msg import JointState
from visualization_msgs.msg import Marker, MarkerArray

import robots
from harness.ros_harness import NodeUnderTest
from harness.ros_harness import given as as_arguments
from harness.soak_runner import run_soak
from ik_node import KinematicTree
from ik_node.collision import Box, CollisionModel, Obstacle
from ik_node.ros.conversions import matrix_to_pose
from ik_node.ros.publishing.status import seconds
from ik_node.spatial import inverse, pose_from_rpy
from measured_robots import lift_robot, measured_values

NEAR = 1e-4   # m, and entries of rotations
GAP = 0.1     # s, between two joint states at 50 Hz
SIZE = 0.15   # m, of the box
SETTINGS = {'state_topic': 'measured', 'publish_rate': '50.0'}
GRIPPERS = {side: ('torso_lift_link', f'{side[0]}_gripper_tool_frame')
            for side in ('left', 'right')}
# name: (file, arms, whether collisions are avoided)
ROBOTS = {
    'panda': ('panda', {'arm': ('panda_link0', 'panda_hand_tcp')}, True),
    'pr2': ('pr2', GRIPPERS, True),
    'baxter': ('baxter', {side: ('torso', f'{side}_gripper') for side in ('left', 'right')}, False),
    'lift': (None, {side: (f'{side}_mount', f'{side}_tool') for side in ('left', 'right')}, True)}


class Soak:
    """A node of one robot, and what is counted."""

    def __init__(self, node, tree, arms, avoids, rng):
        self.node, self.tree, self.avoids, self.rng = node, tree, avoids, rng
        self.chains = {name: tree.chain(*ends) for name, ends in arms.items()}
        self.inside = tuple(joint for chain in self.chains.values() for joint in chain.joint_names)
        self.models = {name: CollisionModel(chain) for name, chain in self.chains.items()
                       if avoids}
        create = node.node.create_publisher
        self.measured = create(JointState, 'measured', 10)
        self.boxes = create(MarkerArray, 'ik_node/obstacles', 10)
        self.goals = {name: create(PoseStamped, f'{name}/goal_pose', 1) for name in arms}
        self.statuses = node.listen(DiagnosticStatus, 'ik_node/status', 100)
        self.states, self.stamps = [], []
        node.node.create_subscription(JointState, 'joint_states', self._on_state, 100)
        self.counts = dict.fromkeys((
            'goals', 'met', 'stamped', 'unanswered', 'false states', 'false frames',
            'false collisions', 'COLLISION', 'in the box but for measured joints'), 0)
        assert node.until(lambda: all(publisher.get_subscription_count() for publisher in (
            self.measured, self.boxes, *self.goals.values())) and self.states, 120.0), node.log()
        self.states.clear()
        self.stamps.clear()

    def step(self):
        """Measure all joints somewhere; send a goal in the frame of a link."""
        values = measured_values(self.tree, self.rng, self.inside)
        name = str(self.rng.choice(list(self.chains)))
        chain = self.chains[name]
        stamp, then = None, values
        if self.rng.random() < 0.3:  # the joints have moved since the stamp
            self.counts['stamped'] += 1
            before = {joint: value - 0.1 * float(self.rng.random()) for joint, value in
                      values.items()}
            began = self.now()
            self.measure(before, began)
            self.node.spin(0.15)
            ended = self.now()
            self.measure(values, ended)
            part = float(self.rng.random())
            stamp = began + Duration(nanoseconds=round(part * (ended - began).nanoseconds))
            part = (stamp - began).nanoseconds / (ended - began).nanoseconds
            then = {joint: before[joint] + part * (value - before[joint])
                    for joint, value in values.items()}
        else:
            self.measure(values, self.now())
        expected = {joint: value for joint, value in self.tree.joint_values(values).items()
                    if self.tree.drives[joint].source not in self.inside}
        if not self.node.until(lambda: self.states and all(
                abs(self.states[-1][joint] - value) < 1e-12
                for joint, value in expected.items()), 5.0):
            self.counts['false states'] += 1
            print('\nSTATES:', {joint: (value, self.states[-1][joint])
                                for joint, value in expected.items()})
        q = np.array([values[joint] for joint in chain.joint_names])
        T = self.tree.forward(values)
        q = np.clip(q + self.rng.uniform(-0.5, 0.5, len(q)), chain.lower, chain.upper)
        T_root_tip = T[chain.base_link] @ chain.forward(q)
        frame = str(self.rng.choice(self.tree.links))
        T_frame_tip = inverse(self.tree.forward(then)[frame]) @ T_root_tip
        at = self.tree.forward({**values, **dict(zip(chain.joint_names, q.tolist()))})
        box = self.box(at[str(self.rng.choice(chain.links[2:]))]) if self.avoids else None
        self.check(name, values, frame, T_frame_tip, T_root_tip, stamp, box)

    def box(self, T_root_link):
        """Place a box near where a link is at the goal, in the root frame; return its pose."""
        place = T_root_link[:3, 3] + self.rng.normal(scale=0.1, size=3)
        made = Marker(type=Marker.CUBE, action=Marker.ADD, ns='box')
        made.header.frame_id, made.pose = self.tree.root, matrix_to_pose(
            pose_from_rpy(place, (0.0, 0.0, 0.0)))
        made.scale.x = made.scale.y = made.scale.z = SIZE
        self.boxes.publish(MarkerArray(markers=[made]))
        self.node.spin(0.15)
        return pose_from_rpy(place, (0.0, 0.0, 0.0))

    def check(self, name, values, frame, T_frame_tip, T_root_tip, stamp, box):
        """Send a goal, and compare its outcome with forward kinematics."""
        chain, goal = self.chains[name], PoseStamped(pose=matrix_to_pose(T_frame_tip))
        sent = self.now().to_msg()
        goal.header.frame_id, goal.header.stamp = frame, sent if stamp is None else stamp.to_msg()
        mark = seconds(goal.header.stamp)
        if stamp is None:  # later than what is measured: where the joints are now
            self.measure(values, self.now())
            self.node.spin(0.03)
        del self.statuses[:]
        self.goals[name].publish(goal)

        def own():
            return [{pair.key: pair.value for pair in status.values} for status in self.statuses
                    if any(pair.value == mark for pair in status.values
                           if pair.key == 'goal_stamp')]
        self.counts['goals'] += 1
        if not self.node.until(own, 10.0):
            self.counts['unanswered'] += 1
            return
        result = own()[0]
        if result['reason'] == 'REFUSED':
            print('\nREFUSED:', self.statuses[-1].message)
            self.counts['unanswered'] += 1
        self.counts['COLLISION'] += result['reason'] == 'COLLISION'
        if result['reason'] != 'CONVERGED':
            return
        self.counts['met'] += 1
        assert self.node.until(lambda: result['joint_stamp'] in self.stamps, 5.0)
        state = self.states[self.stamps.index(result['joint_stamp'])]
        q = np.array([state[joint] for joint in chain.joint_names])
        reached = self.tree.forward(values)[chain.base_link] @ chain.forward(q)
        if np.abs(reached - T_root_tip).max() > NEAR:
            self.counts['false frames'] += 1
            print(f'\nFRAME: {name} in {frame} at {stamp}: {values}, off by '
                  f'{np.abs(reached - T_root_tip).max():.3g}')
        if box is not None:
            self.check_collisions(name, values, q, box)

    def check_collisions(self, name, values, q, box):
        """Compare a solution with a model of its own: with measured joints, and with them at 0."""
        model, chain = self.models[name], self.chains[name]
        found = {}
        for what, others in (('measured', values), ('zero', {})):
            others = {joint: others.get(joint, 0.0) for joint in model.others}
            model.obstacles = ()
            model.others = others
            T = self.tree.forward({**others, **dict(zip(chain.joint_names, q))})
            model.obstacles = [Obstacle(Box((SIZE,) * 3), inverse(T[chain.base_link]) @ box)]
            found[what] = model.is_free(q)
        self.counts['in the box but for measured joints'] += not found['zero']
        if not found['measured']:
            self.counts['false collisions'] += 1
            print(f'\nCOLLISION: {name}: {values} {q.tolist()} {model.contacts(q)[:1]}')

    def measure(self, values, stamp):
        """Publish joint values as a driver does."""
        state = JointState(name=list(values), position=list(values.values()))
        state.header.stamp = stamp.to_msg()
        self.measured.publish(state)

    def now(self):
        """Return the time."""
        return self.node.node.get_clock().now()

    def _on_state(self, message):
        self.states.append(dict(zip(message.name, message.position)))
        self.stamps.append(seconds(message.header.stamp))

    def gap(self):
        """Return the longest time between two joint states, s."""
        return float(np.diff(sorted(map(float, self.stamps))).max())


def soak(given) -> int:
    """Return how many robots have a fault."""
    faults = 0
    for name in given.robots:
        rng = np.random.default_rng(given.seed)
        package, arms, avoids = ROBOTS[name]
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / 'lift.urdf'
            file.write_text(lift_robot(given.seed, ('left_', 'right_')))
            file = file if package is None else robots.path(package)
            ends = {f'{arm}__{key}': link for arm, links in arms.items()
                    for key, link in zip(('base_link', 'tip_link'), links)}
            with NodeUnderTest(*as_arguments({
                    'model_path': file, 'arms': f'[{", ".join(arms)}]', **SETTINGS, **ends,
                    'dls__avoid_collisions': str(avoids).lower()})) as node:
                one = Soak(node, KinematicTree.from_urdf(file), arms, avoids, rng)
                for _ in range(given.steps):
                    one.step()
                alive, gap = node.alive(), one.gap()
        faults += bool(not alive or gap > GAP or one.counts['unanswered'] or any(
            count for what, count in one.counts.items() if what.startswith('false')))
        print(f'{name}: {", ".join(f"{n} {what}" for what, n in one.counts.items())}; joint states '
              f'{gap:.3f} s apart at most{"" if alive else "; the node has ended"}', flush=True)
    return faults


if __name__ == '__main__':
    run_soak(soak, __doc__, steps=100, robots=list(ROBOTS))
