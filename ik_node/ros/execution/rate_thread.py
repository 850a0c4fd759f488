"""A thread that calls a function at a fixed rate, by absolute times."""

import ctypes
import math
import os
import threading
import time
from collections.abc import Callable

from ik_node.support.processes import Notify, reported

_CATCHES_UP = 0.05   # s: a delay up to which missed cycles are made up for
_LOCKED = 3          # of mlockall: what is mapped now, and later
_MOST = 100_000      # deviations that are kept until they are read
_AIM = 0.3           # part of a controller's cycle, after its beginning, at which commands are sent
_FOLLOWED, _SLEW = 0.02, 0.005  # of a difference of phase, and at most of the period, each cycle


class Phase:
    """When cycles of a controller begin, which takes one command in each.

    Commands that come at any time come twice in some cycles, and not at all in others.
    """

    def __init__(self) -> None:
        self._began: float | None = None  # a cycle, s of the monotonic clock

    def note(self, age: float) -> None:
        """Take note that a cycle began age seconds ago."""
        self._began = time.monotonic() - age

    def error(self, deadline: float, period: float) -> float:
        """Return how much later than a deadline commands are due, s, up to half a period."""
        return 0.0 if self._began is None else math.remainder(
            self._began + _AIM * period - deadline, period)


class RateThread:
    """Calls a function in each period until it returns False, or the thread is ended.

    - `deviations`: how late cycles began, s, since they were last read.
    """

    def __init__(self, period: float, cycle: Callable[[int, float], bool], priority: int = 0,
                 lock_memory: bool = False, warn: Notify = print, name: str = 'servo',
                 phase: Phase | None = None) -> None:
        """Begin. period: s.

        cycle: called with the number of periods that have passed, 1 unless some were missed, and
        how late it is called, s. priority: real-time, 0 for none. warn: called where the system
        refuses that, or to lock the memory, and with a defect of the function. name: of its work.
        phase: that cycles follow.
        """
        self.deviations: list[float] = []
        self._period, self._cycle, self._warn = period, cycle, warn
        self._priority, self._lock_memory, self._name = priority, lock_memory, name
        self._phase = phase or Phase()
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    @property
    def runs(self) -> bool:
        """Whether there are more cycles to come."""
        return self._thread.is_alive()

    def end(self, timeout: float) -> bool:
        """Wait until the function has returned False, at most timeout, s; return whether it has."""
        self._thread.join(timeout)
        is_over = not self._thread.is_alive()
        self._ends.set()
        self._thread.join()
        return is_over

    def _run(self) -> None:
        with reported(self._name, self._warn):
            for setting in (self._set_priority, self._set_memory):
                try:
                    setting()
                except (OSError, AttributeError) as error:
                    self._warn(f'{error}; {self._name} runs without it')
            period, goes_on, deadline = self._period, True, time.monotonic()
            deadline += self._phase.error(deadline, period)
            while goes_on and not self._ends.is_set():
                shift, most = _FOLLOWED * self._phase.error(deadline, period), _SLEW * period
                deadline += period + min(max(shift, -most), most)
                time.sleep(max(deadline - time.monotonic(), 0.0))
                late = time.monotonic() - deadline
                cycles = 1 + int(min(late, _CATCHES_UP) / period)
                deadline += int(late / period) * period
                if len(self.deviations) < _MOST:
                    self.deviations.append(late)
                goes_on = self._cycle(cycles, time.monotonic() - deadline)

    def _set_priority(self) -> None:
        if self._priority:
            try:
                os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(self._priority))
            except (OSError, AttributeError) as error:
                raise OSError(f'thread_priority {self._priority} is refused by the system ({error})'
                              ', which needs the capability CAP_SYS_NICE, or an entry rtprio in '
                              '/etc/security/limits.conf') from error

    def _set_memory(self) -> None:
        if self._lock_memory and ctypes.CDLL(None, use_errno=True).mlockall(_LOCKED):
            raise OSError('lock_memory is refused by the system '
                          f'({os.strerror(ctypes.get_errno())}), which needs the capability '
                          'CAP_IPC_LOCK, or an entry memlock in /etc/security/limits.conf')
