"""Counts the calls of ~/compute_ik a second, as MoveIt's plugin makes them; needs moveit_msgs.

    python test/soak_plugin.py --calls 2000 --rounds 5 --other ../before

One tip of a 6R arm and both of a torso, with and without the node's check for collisions; the goals
follow a path, and each seed is the solution before. --other: the folder of another version of the
package, with its kernels; the nodes take turns.
"""

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

import robots
from harness.moveit_plugin import SrvKinematicsPlugin, service_type
from harness.ros_harness import given, stay_on_this_machine

_TORSO = {f'{side}.{field}': value for side in ('left', 'right')
          for field, value in (('base_link', 'torso_link'), ('tip_link', f'{side}_tool0'))}
CASES = {'one tip': ('arm_6r', 'base_link', ['tool0'], {}),
         'two tips': ('torso', 'torso_link', ['left_tool0', 'right_tool0'],
                      {'arms': ['left', 'right'], **_TORSO})}


def rate(folder, case, checks, calls):
    """Call a node of the package in a folder.

    Return the calls a second, ms of the node's processor time for one, and the part without one.
    """
    import rclpy
    robot, base, tips, parameters = CASES[case]
    arguments = given({'urdf_path': robots.OWN / f'{robot}.urdf', 'publish_rate': 0.0,
                       'avoid_collisions': 'check' if checks else 'ignore', **parameters})
    process = subprocess.Popen([sys.executable, '-m', 'ik_node.ros.node', '--ros-args',
                                '--log-level', 'fatal', *arguments], cwd=folder)
    node, service = rclpy.create_node('plugin'), service_type()
    client = node.create_client(service, '/ik_node/compute_ik')

    def call(request):
        future = client.call_async(request)
        rclpy.spin_until_future_complete(node, future, timeout_sec=10.0)
        return future.result()
    try:
        client.wait_for_service()
        tree, failed = robots.tree(robot), 0
        chains = [tree.chain(base, tip) for tip in tips]
        joints = [name for chain in chains for name in chain.joint_names]
        # Before 0.3 the name of a group had to be that of an arm.
        plugin = SrvKinematicsPlugin(service, call, tree, '', base, tips, joints)
        seed = np.full(len(joints), 0.2)
        for k in range(-200, calls):  # some before the clock runs
            if k == 0:
                began, used = time.perf_counter(), processor_time(process.pid)
            q = 0.2 + 0.15 * np.sin(0.01 * k + np.arange(len(joints)))
            parts = np.split(q, np.cumsum([chain.n_joints for chain in chains])[:-1])
            found = plugin.search([chain.forward(part) for chain, part in zip(chains, parts)], seed)
            failed += found is None
            seed = seed if found is None else found
        return (calls / (time.perf_counter() - began),
                1e3 * (processor_time(process.pid) - used) / calls, failed / calls)
    finally:
        node.destroy_node()
        process.terminate()
        process.wait()


def processor_time(pid):
    """Return the processor time of a process, s; on Linux."""
    fields = Path(f'/proc/{pid}/stat').read_text().rpartition(')')[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--calls', type=int, default=2000)
    parser.add_argument('--rounds', type=int, default=5)
    parser.add_argument('--other', action='append', default=[])
    arguments = parser.parse_args()
    import rclpy
    stay_on_this_machine()
    rclpy.init()
    for case in CASES:
        for checks in (False, True):
            rates = np.array([[rate(folder, case, checks, arguments.calls)
                               for folder in ('.', *arguments.other)]
                              for _ in range(arguments.rounds)])
            figures = np.median(rates, axis=0).round(3).tolist()
            print(f'{case}, {"with" if checks else "without"} checks: calls a second, ms of the '
                  f'node, part without a solution: {figures}', flush=True)


if __name__ == '__main__':
    main()
