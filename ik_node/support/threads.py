"""Threads that report an exception, rather than end without a word."""

import contextlib
import logging
import threading
from collections.abc import Callable, Iterator

Notify = Callable[[str], None]  # shows a line where users see it
_LOG = logging.getLogger(__name__)


def start_thread(work: Callable[[], None], name: str,
                 notify: Notify | None = None) -> threading.Thread:
    """Start a thread that ends with the process; what ends its work is reported."""
    def run() -> None:
        with reported(name, notify):
            work()
    thread = threading.Thread(target=run, name=name, daemon=True)
    thread.start()
    return thread


@contextlib.contextmanager
def reported(what: str, notify: Notify | None = None) -> Iterator[None]:
    """Log an exception of the block with its traceback, show it in a line, and go on after it.

    For defects: errors that are expected are handled where they occur.
    """
    try:
        yield
    except Exception as error:
        _LOG.exception('internal error in "%s", going on', what)
        if notify is not None:
            try:
                notify(f'Internal error in "{what}": {type(error).__name__}: {error}')
            except Exception:  # the page may be closed
                _LOG.exception('"%s" cannot be reported on the page', what)
