"""The time of a motion while it plays: speed, loop, pause, seeking; without a clock of its own."""

import math

from ik_node.support.arguments import number
from ik_node.support.exceptions import InputError

MAX_SPEED = 100.0


class Playhead:
    """The time within a motion, advanced by whoever has a clock.

    - `start`, `stop`: the range that plays, s; `time`: the present time of the motion, s.
    - `loop`: whether it begins again at `start` when it has reached `stop`.
    - `paused`: whether time stands still.
    """

    def __init__(self, start: float, stop: float, speed: float = 1.0, loop: bool = False,
                 paused: bool = False) -> None:
        """Stand at `start`. Raises InputError unless start ≤ stop, both s, and for a wrong speed.

        speed: above 0, at most MAX_SPEED.
        """
        self.start, self.stop = number(start, 'start'), number(stop, 'stop')
        if self.start > self.stop:
            raise InputError(f'start must not be after stop, {self.stop:.9g} s, not '
                             f'{self.start:.9g} s')
        self.speed = speed
        self.loop, self.paused = loop, paused
        self.time = self.start

    @property
    def speed(self) -> float:
        """Seconds of the motion per second of the clock; above 0, at most MAX_SPEED."""
        return self._speed

    @speed.setter
    def speed(self, speed: float) -> None:
        if not 0.0 < number(speed, 'speed') <= MAX_SPEED:
            raise InputError(f'speed must be above 0 and at most {MAX_SPEED:g}, not {speed:.9g}')
        self._speed = float(speed)

    @property
    def ended(self) -> bool:
        """Whether the end is reached and the motion does not begin again."""
        return self.time >= self.stop and not self.loop

    def seek(self, time: float) -> None:
        """Go to a time, s. Raises InputError for one outside the range."""
        if not self.start <= number(time, 'time') <= self.stop:
            raise InputError(f'time must be from {self.start:.9g} to {self.stop:.9g} s, not '
                             f'{time:.9g}')
        self.time = float(time)

    def advance(self, seconds: float) -> float:
        """Let so much time of the clock pass, s, and return the time of the motion, s.

        Time does not pass while paused, nor backwards. Without `loop` it ends at `stop`.
        """
        if not self.paused and seconds > 0.0:
            self.time += self._speed * seconds
            length = self.stop - self.start
            if self.time >= self.stop:
                self.time = (self.start + math.fmod(self.time - self.start, length)
                             if self.loop and length > 0.0 else self.stop)
        return self.time
