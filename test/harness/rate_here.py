"""Calls a function at a fixed rate by the clock of a node in the test's own process."""

from typing import ClassVar

from ik_node.support.processes import reported


class RateHere:
    """Stands in for the thread of servo: its cycles are due as the timers of the node are."""

    nodes: ClassVar = {}  # by the clock of a node: calls functions every so many ns

    settings: ClassVar = []  # priority and whether memory is locked, of each

    def __init__(self, period, cycle, priority, lock_memory, warn):
        self.settings.append((priority, lock_memory))
        self.deviations, self._cycle, self._warn = [], cycle, warn
        call_every = self.nodes[cycle.__self__._steady]
        self._is_over, self._stop = False, call_every(round(1e9 * period), self._next)

    def end(self, timeout):
        for _ in range(100_000):
            if self._is_over:
                break
            self._next()
        self._stop()
        return self._is_over

    def _next(self):
        if not self._is_over:
            self.deviations.append(0.0)
            self._is_over = True
            with reported('servo', self._warn):
                self._is_over = not self._cycle(1, 0.0)

    @property
    def runs(self):
        return not self._is_over
