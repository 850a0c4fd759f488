import io

import pytest

from ik_node.commands.progress import ProgressBar


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize('kind', [Terminal, io.StringIO])
def test_a_bar_grows_on_one_line_of_a_terminal_only_and_is_wiped_at_the_end(kind, monkeypatch):
    monkeypatch.setattr('sys.stderr', stream := kind())
    with ProgressBar() as bar:
        bar(0.5, 'sampling configurations')
        bar(1.0, 'turning')
        shown = stream.getvalue()
    if kind is io.StringIO:
        assert stream.getvalue() == ''
        return
    assert '\n' not in shown
    assert [line.count('#') for line in shown.split('\r')[1:]] == [15, 30]
    assert stream.getvalue().endswith('\r\033[K')  # nothing stays
