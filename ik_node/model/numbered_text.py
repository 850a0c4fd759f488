"""Text formats of lines and words: comments removed, errors that name the line."""

import math
import re
from collections.abc import Iterator
from pathlib import Path

from ik_node.model.number_text import number_in
from ik_node.support.bounds import MAX_BYTES, MAX_NUMBER, check_size, read_bytes
from ik_node.support.exceptions import ModelError, shown

_BLANKS = str.maketrans(',()', '   ')
Words = list[tuple[int, str]]  # words of a text, each with the number of its line


class NumberedText:
    """The lines of a text without their comments, "#" to the end of the line.

    Commas and parentheses are blanks [Acclaim Skeleton File Definition 1.10]. Lines end as in any
    editor: with LF, CR LF or CR. Attributes: `what`, the name of the text in messages; `lines`.
    """

    def __init__(self, source: Path | str, what: str, most: int = MAX_BYTES) -> None:
        """Read a file, or take a text, of at most `most` bytes. Raises ModelError."""
        self.what = what
        if isinstance(source, Path):
            self.what = f'{what} {str(source)!r}'
            try:
                # Comments may be in any encoding; what is not UTF-8 is replaced.
                text = read_bytes(source, most).decode('utf-8-sig', errors='replace')
            except (OSError, ValueError) as error:
                raise ModelError(f'cannot read {self.what}: {error}') from error
        else:
            check_size(len(source), what, most)
            text = source.removeprefix('\ufeff')
        self.lines = re.split('\r\n|\n|\r', re.sub('#[^\r\n]*', '', text).translate(_BLANKS))

    def error(self, line: int, problem: str) -> ModelError:
        """Return the error for a problem in a line; the first line is 1."""
        return ModelError(f'{self.what}, line {line}: {problem}')

    def words(self) -> Iterator[tuple[int, list[str]]]:
        """Return the number and the words of every line that is not blank."""
        for number, line in enumerate(self.lines, start=1):
            words = line.split()
            if words:
                yield number, words

    @property
    def last(self) -> int:
        """The number of the last line that is not blank; 1 where there is none."""
        return max((number for number, line in enumerate(self.lines, 1) if line.strip()), default=1)

    def number(self, line: int, word: str, what: str) -> float:
        """Return a word as a finite number within ±MAX_NUMBER. Raises ModelError."""
        value = number_of(word)
        if value is None or not abs(value) <= MAX_NUMBER:  # NaN is not, either
            raise self.error(line, f'{what} must be a number, at most {MAX_NUMBER:g} in size, not '
                                   f'{shown(word)}')
        return value


def number_of(word: str) -> float | None:
    """Return a word as a number, infinite ones included; None for NaN and for other words."""
    try:
        value = number_in(word)
    except ValueError:
        return None
    return None if math.isnan(value) else value
