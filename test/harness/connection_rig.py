"""What hears a connection, and nodes that can fall silent."""

import threading

import numpy as np
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor

import robots

TREE = robots.tree('arm_6r')
CHAIN = TREE.chain()


class Listener:
    def __init__(self):
        self.texts = []
        self.on_description = self.texts.append
        self.forget()

    def forget(self):
        """Forget all but the description, which comes once."""
        self.joints, self.reports, self.markers, self.parameters, self.roots = {}, [], [], {}, []
        self.on_joints, self.on_report = self.joints.update, self.reports.append
        self.on_markers, self.on_parameters = self.markers.append, self.parameters.update
        self.on_root_pose, self.on_error = self.roots.append, self.texts.append

    def q(self):
        """Return the joint values (6,); before they come, infinite ones."""
        return np.array([self.joints.get(name, np.inf) for name in CHAIN.joint_names])


class Spun:
    """Nodes in an executor, whose thread can be halted: they are silent then."""

    def __init__(self, context, *nodes):
        self.context, self._may_spin = context, threading.Event()
        self._executor = SingleThreadedExecutor(context=context)
        for node in nodes:
            self._executor.add_node(node)
        self._may_spin.set()
        self._thread = threading.Thread(target=self._spin)
        self._thread.start()

    def _spin(self):
        while self._may_spin.wait() and self.context.ok():
            try:
                self._executor.spin_once(timeout_sec=1.0)
            except ExternalShutdownException:
                return

    def halt(self):
        self._may_spin.clear()

    def go_on(self):
        self._may_spin.set()

    def close(self):
        self.go_on()
        self.context.try_shutdown()
        self._thread.join(60.0)
        assert not self._thread.is_alive()
        self._executor.shutdown()
