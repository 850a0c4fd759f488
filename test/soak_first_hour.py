"""The first hour of new users: each step does what the README and the docs say.

    python test/soak_first_hour.py command node student engineer animator

Commands are those of the environment, in an empty folder; the node, its clients and the page in a
headless Chromium are real. Each step prints what it saw, or fails with what it got instead.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import numpy as np
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from geometry_msgs.msg import PointStamped, PoseStamped
from nav_msgs.msg import Path as Waypoints
from std_srvs.srv import SetBool, Trigger
from trajectory_msgs.msg import JointTrajectory

import page_hours
import robots
from ik_node import KinematicTree
from ik_node.ros.conversions import matrix_to_pose
from ros_harness import running

ROOT = Path(__file__).parents[1]
BIN = Path(sys.executable).parent
HOURS = ['command', 'node', 'student', 'engineer', 'animator']
POSE = ['--xyz', '0.4', '0.2', '0.6', '--quaternion', '1', '0', '0', '0']


class Steps:
    """Counts the steps, and says how each went."""

    def __init__(self):
        self.count, self.failed = 0, []

    def see(self, what, seen):
        """Report one step; seen: what proves it, or nothing where it failed."""
        self.count += 1
        if not seen:
            self.failed.append(what)
        print(f'{self.count:2} {"ok    " if seen else "FAILED"} {what}', flush=True)


def run(folder, *command, **environment):
    """Run a command of the package in a folder; return (exit code, what it printed)."""
    name, *arguments = map(str, command)
    module = {'python': [sys.executable]}.get(name) or [str(BIN / name)]
    ended = subprocess.run([*module, *arguments], cwd=folder, capture_output=True, text=True,
                           timeout=300, check=False, env={**os.environ, **environment})
    return ended.returncode, ended.stdout + ended.stderr


def at_the_command_line(steps, folder):
    """Look at a robot, at its errors, and solve without ROS."""
    code, text = run(folder, 'ik_inspect', 'panda')
    steps.see('ik_inspect shows a Panda of the package', code == 0 and '7 joints' in text)
    shutil.copy(robots.OWN / 'arm_6r.urdf', folder / 'arm.urdf')
    code, text = run(folder, 'ik_inspect', 'arm.urdf')
    steps.see('ik_inspect shows a file, and the axes it serves',
              code == 0 and 'serves all 6 task axes' in text)
    code, text = run(folder, 'ik_inspect', 'arm.urd')
    steps.see('a mistyped name is one line without a traceback',
              code != 0 and 'arm.urd' in text and 'Traceback' not in text)
    broken = (folder / 'arm.urdf').read_text().replace('<child link=', '<child lnk=', 1)
    (folder / 'broken.urdf').write_text(broken)
    code, text = run(folder, 'ik_inspect', 'broken.urdf')
    steps.see('a broken file names the joint', code != 0 and 'joint' in text
              and 'Traceback' not in text)
    code, text = run(folder, 'ik_inspect', ROOT / 'config/dh/puma560.yaml', '--urdf')
    steps.see('rows become URDF', code == 0 and '<robot' in text)
    readme = (ROOT / 'README.md').read_text()
    first = next(block for block in re.findall(r'```python\n(.*?)```', readme, re.DOTALL)
                 if 'make_solver' in block)
    (folder / 'first.py').write_text(first)
    code, text = run(folder, 'python', 'first.py')
    steps.see('the code of the README solves', code == 0 and text.startswith('True'))
    (folder / 'first.py').write_text(first.replace("'dls'", "'dsl'"))
    code, text = run(folder, 'python', 'first.py')
    steps.see('a mistyped solver lists the solvers', 'dls' in text)
    code, text = run(ROOT, 'python', 'examples/ten_lines.py')
    steps.see('examples/ten_lines.py runs', code == 0)
    code, text = run(folder, 'ik_figures', '--out', '.')
    steps.see('ik_figures draws the textbook\'s figures',
              code == 0 and list(folder.glob('*.png')))
    code, text = run(folder, 'python', '-m', 'ik_node.commands.demo', '--headless',
                     '--robot', 'arm_7r', '--goals', '4')
    steps.see('the demo meets its goals and saves a picture',
              code == 0 and (folder / 'demo.png').exists())


def with_the_node(steps, node, chain):
    """Send goals of each kind, change parameters, call services."""
    domain = {'ROS_DOMAIN_ID': str(node._domain.id)}
    code, _ = run(ROOT, 'python', 'examples/send_goal.py', *POSE, **domain)
    steps.see('examples/send_goal.py moves the arm of a running node', code == 0)
    outcome = node.client.send(chain.forward([0.3, -0.5, 0.8, 0.1, 1.0, 0.2]))
    steps.see('a goal pose is met', outcome.met)
    far = np.eye(4)
    far[0, 3] = 9.0
    outcome = node.client.send(far)
    steps.see('a goal out of reach says so, and the arm stays',
              not outcome.met and outcome.values['reason'] == 'UNREACHABLE')
    steps.see('solver is changed', node.set(solver='auto') == (True, ''))
    successful, reason = node.set(solver='dsl')
    steps.see('a mistyped solver is refused with the list', not successful and 'dls' in reason)
    successful, reason = node.set(dls__damping=-1.0)
    steps.see('an invalid option is refused with what is allowed', not successful and reason)
    steps.see('on_failure closest is accepted', node.set(on_failure='closest') == (True, ''))
    outcome = node.client.send(far)
    steps.see('then the arm goes as near as it can', outcome.joints)
    solutions = node.listen(JointTrajectory, 'ik_node/solutions')
    node.client.send(chain.forward([0.3, -0.5, 0.8, 0.1, 1.0, 0.2]))
    answer = node.call(Trigger, 'ik_node/solve_all', Trigger.Request())
    steps.see('every branch is published', answer.success and node.until(
        lambda: solutions and len(solutions[-1].points) > 1, 20.0))
    statuses = []
    node.node.create_subscription(DiagnosticArray, '/diagnostics', statuses.append, 10)
    steps.see('/diagnostics tell of the node once a second', node.until(lambda: statuses, 10.0))
    point = PointStamped()
    point.point.x, point.point.y, point.point.z = (
        float(x) for x in chain.forward([0.5, -0.4, 0.9, 0.0, 0.8, 0.0])[:3, 3])
    reported = node.listen(DiagnosticStatus, 'ik_node/status')
    node.publish(PointStamped, 'goal_point', point)
    steps.see('a goal point is met', node.until(
        lambda: reported and reported[-1].level == DiagnosticStatus.OK, 20.0))
    reported.clear()
    waypoints = Waypoints(poses=[
        PoseStamped(pose=matrix_to_pose(chain.forward([q, -0.5, 0.8, 0.1, 1.0, 0.2])))
        for q in np.linspace(0.0, 0.4, 5)])
    node.publish(Waypoints, 'goal_path', waypoints)
    steps.see('a path is followed to its end', node.until(
        lambda: reported and reported[-1].level == DiagnosticStatus.OK, 20.0))
    node.call(SetBool, 'ik_node/enable', SetBool.Request(data=False))
    outcome = node.client.send(chain.forward(np.zeros(6)))
    steps.see('a disabled node says how to enable it',
              not outcome.met and 'enable' in node.log())
    node.call(SetBool, 'ik_node/enable', SetBool.Request(data=True))
    steps.see('reset returns to the start pose',
              node.call(Trigger, 'ik_node/reset', Trigger.Request()).success)


def main() -> int:
    """Go through the hour; return 0 where every step went as described."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('hours', nargs='*', choices=HOURS, default=HOURS)
    arguments = parser.parse_args()
    began, steps = time.monotonic(), Steps()
    with tempfile.TemporaryDirectory() as folder:
        if 'command' in arguments.hours:
            at_the_command_line(steps, Path(folder))
        for name in [name for name in HOURS[1:] if name in arguments.hours]:
            print(f'   {name}', flush=True)
            robot = 'planar_3r' if name == 'student' else 'arm_6r'
            with running(model_path=robots.OWN / f'{robot}.urdf',
                         on_failure='hold' if name == 'node' else 'closest') as node:
                if name == 'node':
                    with_the_node(steps, node, KinematicTree.from_urdf(
                        robots.OWN / 'arm_6r.urdf').chain())
                else:
                    with page_hours.at_the_page(steps, node) as person:
                        getattr(page_hours, name)(person)
    print(f'{steps.count - len(steps.failed)} of {steps.count} steps in '
          f'{time.monotonic() - began:.0f} s')
    return 1 if steps.failed else 0


if __name__ == '__main__':
    sys.exit(main())
