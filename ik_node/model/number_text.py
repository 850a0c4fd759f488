"""Numbers written as text, as C reads them.

float() also reads 1_0 as 10, and the digits of every script. Other readers of URDF, SRDF and
Acclaim's files refuse those.
"""


def number_in(text: str) -> float:
    """Return the number that a text is; infinities and NaN are numbers. Raises ValueError."""
    return float(_as_in_c(text))


def numbers_in(text: str, separator: str | None = None, most_splits: int = -1) -> list[float]:
    """Return the numbers that a text lists, separated by blanks or by a separator.

    most_splits: after so many the rest of the text is one word. Raises ValueError.
    """
    return [float(word) for word in _as_in_c(text).split(separator, most_splits)]


def _as_in_c(text: str) -> str:
    if '_' in text or not text.isascii():
        raise ValueError(f'not written as a number: {text[:60]!r}')
    return text
