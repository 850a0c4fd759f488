"""Runs ik_play as a process of its own and talks to it over DDS."""

import subprocess
import sys
import time

from diagnostic_msgs.msg import DiagnosticStatus
from sensor_msgs.msg import JointState
from std_srvs.srv import SetBool

from ros_harness import NodeUnderTest, seconds


class PlayerUnderTest(NodeUnderTest):
    """A running ik_play and a client of it."""

    def __init__(self, *arguments, ros=()):
        self._ros = ros
        super().__init__(*map(str, arguments))
        self._name = 'ik_play'
        self.states = self.listen(JointState, 'joint_states', 100)
        self.statuses = self.listen(DiagnosticStatus, 'ik_play/status', 100)

    def _start(self):
        return subprocess.Popen(
            [sys.executable, '-m', 'ik_node.ros.clients.playback', *self._arguments, '--ros-args',
             *self._ros], stdout=self._log, stderr=subprocess.STDOUT, env=self._environment,
            start_new_session=True)

    def settle(self):
        """Wait until the node has handled what it was sent; see the base class."""
        for _ in range(2):
            self.get('speed')

    def hear(self, count=1):
        """Return so many joint states published from now on, by the system's clock."""
        self.settle()
        begun = time.time()

        def new():
            return [state for state in self.states if seconds(state.header.stamp) >= begun]
        assert self.until(lambda: len(new()) >= count), self.log()
        return new()[:count]

    def status(self):
        """Return the text and the values of a status that comes from now on."""
        self.settle()
        before = len(self.statuses)
        assert self.until(lambda: len(self.statuses) > before), self.log()
        message = self.statuses[-1]
        return message.message, {pair.key: pair.value for pair in message.values}

    def pause(self, paused):
        """Pause or play; return the service's message."""
        response = self.call(SetBool, 'ik_play/pause', SetBool.Request(data=paused))
        assert response.success
        return response.message
