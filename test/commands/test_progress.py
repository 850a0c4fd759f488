import io

from ik_node.commands import progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_terminal_sees_a_bar_that_grows_on_one_line_and_is_wiped_at_the_end():
    terminal = Terminal()
    bar = progress.ProgressBar(terminal)
    bar(0.5, 'sampling configurations')
    bar(1.0, 'turning')
    shown = terminal.getvalue()
    assert '\n' not in shown
    assert [line.count('#') for line in shown.split('\r')[1:]] == [15, 30]
    assert len(shown.split('\r')[2]) == len(shown.split('\r')[1])  # nothing stays of the longer one
    bar.close()
    assert terminal.getvalue().endswith(' \r')


def test_a_log_gets_a_line_now_and_then(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(progress.time, 'monotonic', lambda: now[0])
    log = io.StringIO()
    bar = progress.ProgressBar(log)
    for second in range(1, 31):
        now[0] = float(second)
        bar(second / 30, 'sampling configurations')
    bar.close()
    lines = log.getvalue().splitlines()
    assert len(lines) == 3
    assert lines[0] == ' 33 %  sampling configurations, 10 s'
