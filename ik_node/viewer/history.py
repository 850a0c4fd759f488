"""Undo and redo of changes that a user makes on the page."""

import functools
import threading
import time
from collections.abc import Callable
from typing import Any, NamedTuple

_STEPS = 200    # that are kept
_ONE_STEP = 1.0  # s between changes by one widget that are one step


class _Step(NamedTuple):
    undo: Callable[[], object]
    redo: Callable[[], object]
    key: str
    at: float


class UndoHistory:
    """Steps of the user's: a goal, joint values, an option. Safe to use from any thread."""

    def __init__(self) -> None:
        self._done: list[_Step] = []
        self._undone: list[_Step] = []
        self._lock = threading.Lock()
        self.on_step: Callable[[], object] = lambda: None  # called when one is made

    def record(self, undo: Callable[[], object], redo: Callable[[], object], key: str = '') -> None:
        """Add a step that was made; those that were taken back cannot be made again then.

        key: steps of the same one that follow each other at once, as those of a slider, are one.
        """
        now = time.monotonic()
        with self._lock:
            if key and self._done and self._done[-1].key == key and (
                    now < self._done[-1].at + _ONE_STEP):
                undo = self._done.pop().undo
            self._done[:] = [*self._done[1 - _STEPS:], _Step(undo, redo, key, now)]
            self._undone.clear()
        self.on_step()

    def make(self, put: Callable[..., object], before: tuple[Any, ...], after: tuple[Any, ...],
             key: str = '') -> None:
        """Make a step by put(*after), and record it; undo calls put(*before)."""
        put(*after)
        self.record(functools.partial(put, *before), functools.partial(put, *after), key)

    def clear(self) -> None:
        """Forget all steps: they are of another robot."""
        with self._lock:
            self._done.clear()
            self._undone.clear()

    def undo(self) -> bool:
        """Take back the last step; return whether there is one.

        One that fails is dropped, with its error.
        """
        return self._move(self._done, self._undone, is_undo=True)

    def redo(self) -> bool:
        """Make the step again that was taken back last; return whether there is one."""
        return self._move(self._undone, self._done, is_undo=False)

    def _move(self, source: list[_Step], target: list[_Step], is_undo: bool) -> bool:
        with self._lock:
            step = source.pop() if source else None
        if step is not None:
            (step.undo if is_undo else step.redo)()
            with self._lock:
                target.append(step)
            self.on_step()
        return step is not None
