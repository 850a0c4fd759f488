"""Keys of a terminal, one by one, and what they mean for teleoperation."""

import os
import select
import threading
from collections.abc import Callable
from typing import Any, TextIO

from ik_node.support.exceptions import InputError

KEYS = {'w': (0, 1.0), 's': (0, -1.0), 'a': (1, 1.0), 'd': (1, -1.0), 'q': (2, 1.0),
        'e': (2, -1.0), 'u': (3, 1.0), 'o': (3, -1.0), 'i': (4, 1.0), 'k': (4, -1.0),
        'j': (5, 1.0), 'l': (5, -1.0)}
"""Keys of twists: the axis of x y z and of rotations about them, and the direction."""
JOINT = {str(k + 1): k for k in range(9)}
"""Keys of joints: which one."""
SPEEDS = {'+': 1.25, '-': 0.8}
"""Factors of the speed."""
REVERSE, STOP = 'r', ' '


class Keyboard:
    """Calls a function with each key that is pressed in a terminal, in a thread of its own.

    Keys are read without a line end and without an echo until it is closed; Ctrl-C still ends the
    process.
    """

    def __init__(self, terminal: TextIO, on_key: Callable[[str], Any]) -> None:
        """Begin. Raises InputError where it is no terminal."""
        try:
            import termios
            import tty
            self._file = terminal.fileno()
            before = termios.tcgetattr(self._file)
            tty.setcbreak(self._file)
        except (ImportError, OSError, ValueError, termios.error) as error:
            raise InputError('the keyboard is that of a terminal in the foreground, which there is '
                             f'not here ({error}); start ik_teleop in one') from error
        self._restore = lambda: termios.tcsetattr(self._file, termios.TCSADRAIN, before)
        self._on_key, (self._outlet, self._inlet) = on_key, os.pipe()
        self._thread = threading.Thread(target=self._read, name='keyboard', daemon=True)
        self._thread.start()

    def _read(self) -> None:
        while True:
            ready, _, _ = select.select([self._file, self._outlet], [], [])
            if self._outlet in ready:
                return
            try:
                pressed = os.read(self._file, 64)
            except OSError:  # the terminal is gone
                pressed = b''
            if not pressed:
                return
            if not pressed.startswith(b'\x1b'):  # keys such as arrows send more than one byte
                self._on_key(chr(pressed[-1]).lower())  # older ones have waited

    def close(self) -> None:
        """Stop reading, and let the terminal be as it was before."""
        os.write(self._inlet, b'.')
        self._thread.join()
        os.close(self._inlet)
        os.close(self._outlet)
        self._restore()
