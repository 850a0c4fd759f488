"""Entry points of the commands, which end quietly on SIGINT from their first moment on.

Importing numpy and ROS takes half a second or more, in which Python's own handler of SIGINT would
raise KeyboardInterrupt in the middle of an import. So a command calls `end_quietly` first. This
module imports next to nothing itself.
"""

import importlib
import signal

TYPE_CHECKING = False  # typing takes longer to import than all of this
if TYPE_CHECKING:
    from collections.abc import Callable


def end_quietly() -> None:
    """Let SIGINT end this process at once, as SIGTERM does, instead of a KeyboardInterrupt.

    The exit status is that of the signal, 130 in a shell. A SIGINT that is ignored stays so. What
    has to be closed at the end is opened later, see `ik_node.signals`.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)


def _command(module: str) -> 'Callable[[], int]':
    """Return what runs `main` of a module, which is imported only then."""
    def run() -> int:
        end_quietly()
        return int(importlib.import_module(module).main())
    return run


ik_node = _command('ik_node.ros.node')
demo_goals = _command('ik_node.ros.clients.demo_goals')
ik_compare = _command('ik_node.tools.ik_compare')
ik_figures = _command('ik_node.tools.ik_figures')
ik_inspect = _command('ik_node.tools.ik_inspect')
ik_play = _command('ik_node.ros.clients.playback')
ik_retarget = _command('ik_node.tools.ik_retarget')
ik_view = _command('ik_node.viewer.__main__')
ik_workspace = _command('ik_node.tools.ik_workspace')
