"""Exceptions of ik_node: IkError and its subclasses.

Not converging is a result, never an exception; see `ik_node.StopReason`.
"""

from collections.abc import Iterable
from difflib import get_close_matches


class IkError(Exception):
    """An invalid input; the message says what was given and what is allowed.

    Long inputs are quoted in part, since messages are logged and published.
    """

    def __str__(self) -> str:
        text = super().__str__()
        if len(text) <= _LONGEST:
            return text
        return f'{text[:_LONGEST * 3 // 4]} […] {text[-_LONGEST // 4:]}'


class ModelError(IkError):
    """A robot description that cannot be used, or a link or joint name it does not have."""


class InputError(IkError):
    """A joint vector, pose, goal or weight of wrong shape or with unusable numbers."""


class OptionError(IkError):
    """An unknown solver or option, or an option's value outside what is allowed."""


class UnsupportedError(IkError):
    """A solver does not support an arm or a goal.

    `found`: for an arm, a short description of its structure.
    """

    def __init__(self, message: str, found: str = '') -> None:
        super().__init__(message)
        self.found = found


class MotionError(IkError):
    """A motion that an arm cannot make, though both its ends may be possible.

    `part`: the part of its path, 0 to 1, that the arm can follow.
    """

    def __init__(self, message: str, part: float = 0.0) -> None:
        super().__init__(message)
        self.part = part


_MOST_LISTED = 40
_LONGEST = 4000      # characters of a message
_MOST_COMPARED = 200  # names, and characters of a name, among which a near one is looked for


def shown(value: object, most: int = 60) -> str:
    """Return a value as text for a message, no longer than `most`."""
    try:
        text = repr(value)
    except Exception:  # integers of more digits than Python writes; what an object's repr raises
        text = ('an integer of thousands of digits' if isinstance(value, int) else
                f'an object of type {type(value).__name__}')
    return text if len(text) <= most else f'{text[:most]}…'


def error_line(error: Exception) -> str:
    """Return an error as one line; that of a file without the number of the system."""
    if isinstance(error, OSError) and error.strerror:
        return ': '.join(map(str, filter(None, (error.filename, error.strerror))))
    return ' '.join(str(error).split())


def names(items: Iterable[str]) -> str:
    """Return the items as text for a message: quoted, in the given order, long lists cut short."""
    listed = [repr(item) for item in items]
    if len(listed) > _MOST_LISTED:
        listed[_MOST_LISTED:] = [f'… ({len(listed)} in all)']
    return ', '.join(listed) or '(none)'


def unknown(what: str, name: object, allowed: Iterable[str]) -> str:
    """Return the message for an unknown name: the nearest of those that exist, and their list."""
    allowed = tuple(allowed)
    few = (isinstance(name, str) and len(name) <= _MOST_COMPARED
           and len(allowed) <= _MOST_COMPARED)
    near = get_close_matches(str(name), allowed, n=1) if few else ()
    hint = f'; did you mean {near[0]!r}?' if near else ';'
    return f'there is no {what} {shown(name, _MOST_COMPARED)}{hint} there is {names(allowed)}'
