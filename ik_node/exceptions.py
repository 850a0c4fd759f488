"""What ik_node raises: IkError and its few children.

Not converging is a result, never an exception; see `ik_node.StopReason`.
"""

from collections.abc import Iterable
from difflib import get_close_matches


class IkError(Exception):
    """Anything ik_node refuses; the message says what was given and what is allowed.

    Of what was given it quotes no more than fits: it ends up in logs and in messages.
    """

    def __str__(self) -> str:
        """Return the message, a very long one without its middle."""
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
_LONGEST = 4000      # characters of a message
_MOST_COMPARED = 200  # names, and characters of a name, among which a near one is looked for


def shown(value: object, most: int = 60) -> str:
    """Return a value as text for a message, no longer than `most`."""
    try:
        text = repr(value)
    except ValueError:  # a whole number of more digits than Python writes
        text = 'a number of thousands of digits'
    return text if len(text) <= most else f'{text[:most]}…'


def names(items: Iterable[str]) -> str:
    """Return the items as text for a message: quoted, in the given order, long lists cut short."""
    listed = [repr(item) for item in items]
    if len(listed) > _MOST_LISTED:
        listed[_MOST_LISTED:] = [f'… ({len(listed)} in all)']
    return ', '.join(listed) or '(none)'


def unknown(what: str, name: object, allowed: Iterable[str]) -> str:
    """Return the message for an unknown name: the nearest of those that exist, and their list."""
    allowed = tuple(allowed)
    few = len(allowed) <= _MOST_COMPARED and len(str(name)) <= _MOST_COMPARED
    near = get_close_matches(str(name), allowed, n=1) if few else ()
    hint = f'; did you mean {near[0]!r}?' if near else ';'
    return f'there is no {what} {name!r}{hint} there is {names(allowed)}'
