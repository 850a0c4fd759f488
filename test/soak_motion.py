"""Moves an arm for minutes among random goals, and compares what is published with the limits.

    python test/soak_motion.py --minutes 10 --seed 0

Half of the time in joint space, half with a cartesian motion of the tip. The velocity between
consecutive positions and stamps must not exceed a limit by more than 1 %. A stand-in of
joint_trajectory_controller follows the arm: it must refuse no trajectory, and get none that leads
elsewhere than the joint states say.
"""

import time

import numpy as np
from sensor_msgs.msg import JointState

import robots
from harness.controller_node import ControllerNode
from harness.followed import Followed, seconds
from harness.random_motion import RandomMotion
from harness.ros_harness import running
from harness.soak_runner import run_soak

ARMS = ('arm_6r', 'arm_7r')
LONGEST_GAP = 0.4  # s


def soak(arm, mode, seconds, seed):
    """Run a node for a time; return whether it kept to the limits, and print the figures."""
    file = robots.OWN / f'{arm}.urdf'
    rng = np.random.default_rng(seed)
    with running(urdf_path=file, motion=mode, publish_rate=100.0,
                 output='trajectory',
                 output_topic='/controller/joint_trajectory') as node:
        states = node.listen(JointState, 'joint_states', 1000)
        motion = RandomMotion(node.ready(), file, mode, rng)
        joints = motion.chain.joint_names
        follower = ControllerNode(node.node, joints, positions([motion.newest], joints)[0],
                                  '/controller', states='/measured')
        node.spin(1.0)  # until they have met
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline and node.alive():
            motion.act()
            node.spin(float(rng.exponential(0.15)))
        found, alive, log = motion.velocity, node.alive(), node.log()
        refused = follower.controller.refused
        apart = distance([Followed.of(message) for message in follower.received], states, joints)
    done = ', '.join(f'{count} {kind}' for kind, count in motion.done.items())
    print(f'{arm}, {mode}: largest velocity {found.worst:.6f} of its limit in {found.moving} pairs '
          f'of joint states of a moving arm; {len(follower.received)} trajectories, {len(refused)} '
          f'refused, at most {apart:.3g} rad from the joint states; {done}', flush=True)
    if refused or apart > 1e-4:
        print(f'FAULT: a controller does not follow: {refused}')
    if found.worst > 1.01:
        print(f'FAULT: {found.pair}\n{log[-3000:]}')
    if not alive or 'internal error' in log:
        print(f'FAULT: the node has raised, or ended\n{log[-3000:]}')
    return (alive and 'internal error' not in log and found.worst <= 1.01
            and found.moving > 0 and not found.backward and not refused and apart <= 1e-4)


def positions(states, joints):
    """Return the positions (k, n) of joints in joint states."""
    return np.array([[state.position[state.name.index(name)] for name in joints]
                     for state in states])


def distance(followed, states, joints):
    """Return how far trajectories lead from joint states, which follow the last that has begun.

    Without those in which the node got no time for so long that its motion has waited.
    """
    stamps = np.array([seconds(state.header.stamp) for state in states])
    q = positions(states, joints)
    begun = np.searchsorted([one.stamp for one in followed], stamps, side='right') - 1
    late = np.flatnonzero(np.diff(stamps) > LONGEST_GAP)
    return max((float(np.abs(followed[k].at(stamps[begun == k]).position - q[begun == k]).max())
                for k in set(begun[begun >= 0]) - {*begun[late], *begun[late + 1]}), default=0.0)


def all_arms(given) -> int:
    """Return how many arms and modes did not keep to the limits."""
    share = 60.0 * given.minutes / (2 * len(ARMS))
    return sum(not soak(arm, mode, share, given.seed + k)
               for mode in ('joint', 'cartesian') for k, arm in enumerate(ARMS))


if __name__ == '__main__':
    run_soak(all_arms, __doc__, minutes=10.0)
