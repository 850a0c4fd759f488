"""Calls a function at a fixed rate by the clock of a node in the test's own process."""

from typing import ClassVar

from ik_node.support.processes import reported


class RateHere:
    """Stands in for the threads of a node: its cycles are due as the timers of the node are."""

    nodes: ClassVar = {}  # by the clock of a node: calls functions every so many ns

    settings: ClassVar = []  # priority and whether memory is locked, of each

    def __init__(self, period, cycle, priority=0, lock_memory=False, warn=print, name='servo',
                 phase=None):
        self.settings.append((priority, lock_memory))
        self.deviations, self._cycle, self._warn, self._name = [], cycle, warn, name
        owner, self._period = cycle.__self__, period
        call_every = self.nodes[getattr(owner, '_steady', None) or owner._clock.steady]
        self._is_over, self._stop = False, call_every(round(1e9 * period), self._next)

    def end(self, timeout):
        """Let time pass for its cycles alone, which are as early as that."""
        for k in range(100_000):
            if self._is_over:
                break
            self._next(-k * self._period)
        self._stop()
        return self._is_over

    def _next(self, late=0.0):
        if not self._is_over:
            self.deviations.append(0.0)
            self._is_over = True
            with reported(self._name, self._warn):
                self._is_over = not self._cycle(1, late)
        if self._is_over:
            self._stop()
            self._stop = int

    @property
    def runs(self):
        return not self._is_over
