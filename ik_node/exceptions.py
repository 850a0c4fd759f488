"""What ik_node raises: IkError and its few children.

Not converging is a result, never an exception; see `ik_node.StopReason`.
"""

from collections.abc import Iterable
from difflib import get_close_matches


class IkError(Exception):
    """Anything ik_node refuses; the message says what was given and what is allowed."""


class ModelError(IkError):
    """A robot description that cannot be used, or a link or joint name it does not have."""


class InputError(IkError):
    """A joint vector, pose, goal or weight of wrong shape or with unusable numbers."""


class OptionError(IkError):
    """An unknown solver or option, or an option's value outside what is allowed."""


class UnsupportedError(IkError):
    """A solver was asked for an arm, or for a goal, that it has no method for.

    `found`: where it is the arm, what was found instead, in a few words.
    """

    def __init__(self, message: str, found: str = '') -> None:
        """Keep the few words beside the message."""
        super().__init__(message)
        self.found = found


class MotionError(IkError):
    """A motion that an arm cannot make, though both its ends may be possible.

    `part`: how far along its way, 0 to 1, the arm would get.
    """

    def __init__(self, message: str, part: float = 0.0) -> None:
        """Keep the part of the way beside the message."""
        super().__init__(message)
        self.part = part


_MOST_LISTED = 40


def names(items: Iterable[str]) -> str:
    """Return the items as text for a message: quoted, in the given order, long lists cut short."""
    listed = [repr(item) for item in items]
    if len(listed) > _MOST_LISTED:
        listed[_MOST_LISTED:] = [f'… ({len(listed)} in all)']
    return ', '.join(listed) or '(none)'


def unknown(what: str, name: object, allowed: Iterable[str]) -> str:
    """Return the message for an unknown name: the nearest of those that exist, and their list."""
    allowed = tuple(allowed)
    near = get_close_matches(str(name), allowed, n=1)
    hint = f'; did you mean {near[0]!r}?' if near else ';'
    return f'there is no {what} {name!r}{hint} there is {names(allowed)}'
