"""Runs ik_play, in the process of the test or as one of its own."""

import subprocess
import sys

from diagnostic_msgs.msg import DiagnosticStatus
from sensor_msgs.msg import JointState
from std_srvs.srv import SetBool

from harness.node_here import NodeHere
from harness.ros_harness import NodeUnderTest
from ik_node.ros.clients.playback import read_arguments, read_files
from ik_node.ros.clients.player import Player


class PlayerClient:
    """What tests ask of a player, and what it has published."""

    def listen_to_all(self):
        """Begin to collect joint states and statuses."""
        self.states = self.listen(JointState, 'joint_states', 100)
        self.statuses = self.listen(DiagnosticStatus, 'ik_play/status', 100)

    def hear(self, count=1):
        """Return so many joint states that come from now on."""
        self.settle()
        before = len(self.states)
        assert self.until(lambda: len(self.states) >= before + count), self.log()
        return self.states[before:before + count]

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


class PlayerHere(PlayerClient, NodeHere):
    """A player in the test's process; arguments: of the command. options: of `NodeHere`."""

    def __init__(self, *arguments, **options):
        own = read_arguments([*map(str, arguments)])
        recording, playhead = read_files(own)
        super().__init__(make=Player, start=None, recording=recording, playhead=playhead,
                         rate=own.rate, topic=own.topic, description=own.description, **options)
        self.listen_to_all()


class PlayerUnderTest(PlayerClient, NodeUnderTest):
    """A running ik_play and a client of it."""

    def __init__(self, *arguments):
        super().__init__(*map(str, arguments))
        self._name = 'ik_play'
        self.listen_to_all()

    def _start(self):
        return subprocess.Popen(
            [sys.executable, '-m', 'ik_node.ros.clients.playback', *self._arguments],
            stdout=self._log, stderr=subprocess.STDOUT, env=self._environment,
            start_new_session=True)

    def settle(self):
        """Wait until the node has handled what it was sent; see the base class."""
        for _ in range(2):
            self.get('speed')
