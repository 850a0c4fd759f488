"""Measures how far the browser view is behind joint states at 60 Hz, in a headless Chromium.

A robot of 53 links and 49 meshes moves all its joints. Every joint state has values of its own, so
that what comes to the page tells which it shows. Rendered in software, by the processor.
"""

import argparse
import contextlib
import sys
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmark.arms import folder
from benchmark.chromium import new_page
from benchmark.machine import machine
from benchmark.nodes import running, stay_here
from ik_node.model.tree import KinematicTree
from ik_node.spatial import inverse, quaternion_from_matrix

_ROBOT = 'g1_description/urdf/g1_29dof_with_hand_rev_1_0.urdf'
_RATE = 60.0
_PORT = 8187
# The page's connection lives in a worker, which hands on what it has decoded. This notes when each
# orientation of one link came from there, and when the picture after it was drawn.
_LISTEN = """
window.heard = [];
const Bare = window.Worker;
window.Worker = class extends Bare {
  constructor(...given) {
    super(...given);
    this.addEventListener('message', (event) => {
      const now = () => performance.timeOrigin + performance.now();
      for (const message of event.data.messages ?? []) {
        if (message.type === 'SetOrientationMessage' && message.name.endsWith('/LINK')) {
          const note = [now(), 0, message.wxyz];
          window.heard.push(note);
          requestAnimationFrame(() => { note[1] = now(); });
        }
      }
    });
  }
};
"""


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(prog='python -m benchmark.viewer', description=__doc__)
    parser.add_argument('--seconds', type=float, default=20.0)
    arguments = parser.parse_args()
    stay_here()
    file = folder('erd') / _ROBOT
    tree = KinematicTree.from_urdf(file)
    joint = next(joint for joint in tree.joints.values() if joint.moves)
    command = [sys.executable, '-m', 'ik_node.viewer', '--port', str(_PORT)]
    with running(command), _page(joint.child) as page, _robot(file.read_text()) as publish:
        page.wait_for_timeout(15000)
        page.evaluate('window.heard.length = 0')
        sent = _stream(page, publish, tree, int(_RATE * arguments.seconds))
        page.wait_for_timeout(1000)
        heard = page.evaluate('window.heard')
    expected = np.array([_turn(tree, joint, values) for _, values in sent])
    times = 1e3 * np.array([at for at, _ in sent])
    came, drawn = [], []
    for at, next_picture, turn in heard:
        k = int(np.argmin(np.abs(expected - turn).max(axis=1)))
        came.append(at - times[k])
        drawn.append(next_picture - times[k])
    print(f'{len(tree.links)} links, {len(tree.joints)} joints; {len(sent)} joint states in '
          f'{times[-1] / 1e3 - times[0] / 1e3:.0f} s, {len(came)} of them shown; {machine()}\n')
    for what, lags in (('on the page', came), ('drawn', drawn)):
        print(f'{what}: median {np.median(lags):.0f} ms, p95 {np.percentile(lags, 95):.0f} ms')
    return 0


def _stream(page: Any, publish: Any, tree: KinematicTree,
            count: int) -> list[tuple[float, dict[str, float]]]:
    """Publish joint states; return when, s of the day's clock, and which."""
    moving = [joint for joint in tree.joints.values() if joint.moves]
    sent, start = [], time.monotonic()
    for k in range(count):
        values = {joint.name: float(np.clip(0.3 * np.sin(0.011 * k + i), joint.lower, joint.upper))
                  for i, joint in enumerate(moving)}
        values[moving[0].name] = 0.4 * k / count
        page.wait_for_timeout(max(0.0, 1e3 * (start + k / _RATE - time.monotonic())))
        sent.append((time.time(), values))
        publish(values)
    return sent


def _turn(tree: KinematicTree, joint: Any, values: dict[str, float]) -> np.ndarray:
    """Return the quaternion (4,), w first, of a link in its parent's frame."""
    T = tree.forward(values)
    x, y, z, w = quaternion_from_matrix((inverse(T[joint.parent]) @ T[joint.child])[:3, :3])
    return np.array((w, x, y, z))


@contextlib.contextmanager
def _page(link: str) -> Iterator[Any]:
    """Open the page, as soon as it is served, and listen for one link."""
    with new_page(800, 600) as page:
        page.add_init_script(_LISTEN.replace('LINK', link))
        for _ in range(60):
            with contextlib.suppress(Exception):
                page.goto(f'http://127.0.0.1:{_PORT}')
                break
            time.sleep(0.5)
        yield page


@contextlib.contextmanager
def _robot(text: str) -> Iterator[Any]:
    """Publish a description; yield how to publish joint values."""
    import rclpy
    from sensor_msgs.msg import JointState
    from std_msgs.msg import String

    from ik_node.ros.topics import LATCHED
    rclpy.init()
    node = rclpy.create_node('robot')
    description = node.create_publisher(String, 'robot_description', LATCHED)
    description.publish(String(data=text))
    states = node.create_publisher(JointState, 'joint_states', 10)

    def publish(values: dict[str, float]) -> None:
        states.publish(JointState(name=list(values), position=list(values.values())))
    yield publish
    node.destroy_node()
    rclpy.shutdown()


if __name__ == '__main__':
    sys.exit(main())
