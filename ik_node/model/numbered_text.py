"""Numbers as text, and text formats of lines and words, whose errors name the line.

Numbers are read as C reads them. float() also reads 1_0 as 10, and the digits of every script;
other readers of URDF, SRDF and Acclaim's files refuse those.
"""

import math
import re
from collections.abc import Iterator
from pathlib import Path

from ik_node.support.bounds import MAX_BYTES, MAX_NUMBER, check_size, read_bytes, reading
from ik_node.support.exceptions import ModelError, shown

_BLANKS = str.maketrans(',()', '   ')
Words = list[tuple[int, str]]  # words of a text, each with the number of its line


def number_in(text: str) -> float:
    """Return the number that a text is; infinities and NaN are numbers. Raises ValueError."""
    return float(_as_in_c(text))


def numbers_in(text: str, separator: str | None = None, most_splits: int = -1) -> list[float]:
    """Return the numbers that a text lists, separated by blanks or by a separator.

    most_splits: after so many the rest of the text is one word. Raises ValueError.
    """
    return [float(word) for word in _as_in_c(text).split(separator, most_splits)]


def numbers_or_nan(text: str, most_splits: int = -1) -> list[float]:
    """Return the numbers that a text lists as `numbers_in`; a single NaN for any other text."""
    try:
        return numbers_in(text, most_splits=most_splits)
    except ValueError:
        return [math.nan]


def number_of(word: str) -> float | None:
    """Return a word as a number, infinite ones included; None for NaN and for other words."""
    try:
        value = number_in(word)
    except ValueError:
        return None
    return None if math.isnan(value) else value


def _as_in_c(text: str) -> str:
    if '_' in text or not text.isascii():
        raise ValueError(f'not written as a number: {text[:60]!r}')
    return text


class NumberedText:
    """The lines of a text without their comments, from "#" before a word to the end of the line.

    Commas and parentheses are blanks [Acclaim Skeleton File Definition 1.10]. Lines end with LF,
    CR LF or CR. Attributes: `what`, the name of the text in messages; `lines`.
    """

    def __init__(self, source: Path | str, what: str, most: int = MAX_BYTES) -> None:
        """Read a file, or take a text, of at most `most` bytes. Raises ModelError."""
        self.what = what
        if isinstance(source, Path):
            self.what = f'{what} {str(source)!r}'
            with reading(self.what):  # comments may be in any encoding
                text = read_bytes(source, most).decode('utf-8-sig', errors='replace')
        else:
            check_size(len(source), what, most)
            text = source.removeprefix('\ufeff')
        text = re.sub(r'(?<!\S)#[^\r\n]*', '', text.translate(_BLANKS))
        self.lines = re.split('\r\n|\n|\r', text)

    def error(self, line: int, problem: str) -> ModelError:
        """Return the error for a problem in a line; the first line is 1."""
        return ModelError(f'{self.what}, line {line}: {problem}')

    def words(self) -> Iterator[tuple[int, list[str]]]:
        """Return the number and the words of every line that is not blank."""
        for number, line in enumerate(self.lines, start=1):
            if words := line.split():
                yield number, words

    @property
    def last(self) -> int:
        """The number of the last line that is not blank; 1 where there is none."""
        return max((number for number, line in enumerate(self.lines, 1) if line.strip()), default=1)

    def number(self, line: int, word: str, what: str) -> float:
        """Return a word as a finite number within ±MAX_NUMBER. Raises ModelError."""
        value = number_of(word)
        if value is None or not abs(value) <= MAX_NUMBER:
            raise self.error(line, f'{what} must be a number, at most {MAX_NUMBER:g} in size, not '
                                   f'{shown(word)}')
        return value
