"""Entry points of the commands: each handles signals before it imports what takes long."""

import importlib
import sys

from ik_node.support.signals import end_quietly

TYPE_CHECKING = False  # see support.signals
if TYPE_CHECKING:
    from collections.abc import Callable


def _command(module: str) -> 'Callable[[], int]':
    """Return what runs `main` of a module, which is imported only then."""
    def run() -> int:
        end_quietly()
        try:
            return int(importlib.import_module(module).main())
        except ImportError as error:
            if not any(part in str(error) for part in ('rclpy', '_msgs', '_srvs', '_interfaces')):
                raise
            sys.exit(f'ROS 2 is needed ({error}): source its setup.bash, or pip install '
                     '"ik_node[ros]"')
    return run


ik_node = _command('ik_node.ros.node')
demo_goals = _command('ik_node.ros.clients.demo_goals')
ik_compare = _command('ik_node.commands.ik_compare')
ik_figures = _command('ik_node.commands.ik_figures')
ik_inspect = _command('ik_node.commands.ik_inspect')
ik_play = _command('ik_node.ros.clients.playback')
ik_retarget = _command('ik_node.commands.ik_retarget')
ik_teleop = _command('ik_node.ros.clients.teleop')
ik_view = _command('ik_node.viewer.__main__')
ik_workspace = _command('ik_node.commands.ik_workspace')
