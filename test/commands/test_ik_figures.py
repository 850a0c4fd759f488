import contextlib
import io
import re
import sys
from pathlib import Path

import numpy as np
import pytest

from ik_node.commands import ik_figures
from ik_node.commands.figures_textbook import FIGURES

NUMBERS = ['5.20', '5.21', '5.22', '5.23', '5.24', '5.25']
PAGE = Path(__file__).parents[2] / 'docs' / 'figures.md'


def run(capsys, *arguments):
    """Run the command; return (exit code, what it printed, what it said on stderr)."""
    code = ik_figures.main([str(argument) for argument in arguments])
    return code, *capsys.readouterr()


def rows(text):
    """Return {figure: (angles, tip, largest distance, longest step)} of the table in a text."""
    found = {}
    for line in text.replace('−', '-').splitlines():
        if figure := re.match(r'[| ]*(5\.2\d( \([ab]\))?) ', line):
            *angles, x, y, largest, longest = map(float, re.findall(r'-?\d+\.\d+', line)[-7:])
            found[figure[1]] = angles, [x, y], largest, longest
    return found


@pytest.fixture(scope='module')
def everything(tmp_path_factory):
    """Return (the folder, what was printed, the page) of all figures as the text has them."""
    pytest.importorskip('matplotlib')
    folder = tmp_path_factory.mktemp('docs')
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        assert ik_figures.main(['--output', str(folder / 'figures'), '--output',
                                str(folder / 'figures.md')]) == 0
    return folder, printed.getvalue(), (folder / 'figures.md').read_text(encoding='utf-8')


def test_every_figure_is_a_small_valid_picture_of_its_own(everything):
    image = pytest.importorskip('PIL.Image')
    files = sorted((everything[0] / 'figures').iterdir())
    assert [file.name for file in files] == [FIGURES[number].file for number in NUMBERS]
    for file in files:
        assert file.stat().st_size < 120_000
        with image.open(file) as picture:
            picture.load()
            assert picture.format == 'PNG'
            assert min(picture.size) > 500
            # Not a blank sheet.
            assert len(picture.convert('RGB').getcolors(maxcolors=1 << 16)) > 50


def test_the_page_in_docs_is_what_the_command_makes(everything):
    assert PAGE.read_text(encoding='utf-8') == everything[2]
    for number in NUMBERS:
        assert (PAGE.parent / 'figures' / FIGURES[number].file).is_file()


def test_figure_chooses_what_is_drawn_in_the_order_of_the_text(capsys, tmp_path):
    pytest.importorskip('matplotlib')
    code, out, _ = run(capsys, '--output', tmp_path, '--figure', '5.24', '5.23', '5.24')
    assert code == 0
    assert list(rows(out)) == ['5.23', '5.24']
    assert sorted(file.name for file in tmp_path.iterdir()) == ['figure_5_23.png',
                                                                'figure_5_24.png']
    assert f'2 pictures in {tmp_path}' in out


def test_goal_moves_the_goal(capsys, tmp_path):
    pytest.importorskip('matplotlib')
    page = tmp_path / 'page.md'
    _, out, _ = run(capsys, '--output', tmp_path, '--figure', '5.21', '--goal', '-5', '12.5',
                    '--output', page)
    assert out.count('(−5, 12.5)') == 2
    for _, tip, _, _ in rows(out).values():
        assert tip == pytest.approx([-5.0, 12.5], abs=0.5)
    # Nothing is said of what is not the text's run.
    assert 'leaps' not in page.read_text(encoding='utf-8')


def test_a_goal_where_the_tip_is_asks_for_no_step(capsys, tmp_path):
    pytest.importorskip('matplotlib')
    tip = 15.0 * np.exp(0.125j * np.pi) + 10.0 * np.exp(0.375j * np.pi) + 5.0 * np.exp(
        0.625j * np.pi)
    code, out, err = run(capsys, '--output', tmp_path, '--figure', '5.23', '--goal', tip.real,
                         tip.imag)
    assert (code, err) == (0, '')
    assert rows(out)['5.23'][0] == [22.5, 45.0, 45.0]


@pytest.mark.parametrize(('arguments', 'words'), [
    (['--figure', '5.19'], "there is no figure '5.19'"),
    (['--figure', '5.19'], ', '.join(f"'{number}'" for number in NUMBERS)),
    (['--frames', '0'], 'at least 1 frame, not 0'),
    (['--goal', 'nan', '5'], 'the goal must be finite numbers'),
    (['--output', __file__], f'{__file__}: File exists')])
def test_what_cannot_be_done_ends_with_one_line_and_code_2(capsys, tmp_path, monkeypatch,
                                                           arguments, words):
    pytest.importorskip('matplotlib')
    monkeypatch.chdir(tmp_path)
    code, out, err = run(capsys, *arguments)
    assert code == 2
    assert out == ''
    assert words in err
    assert err.startswith('ik_figures: ')
    assert err.count('\n') == 1


def test_a_missing_matplotlib_is_reported_with_how_to_install_it(capsys, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, 'matplotlib.figure', None)
    code, _, err = run(capsys, '--output', tmp_path / 'figures')
    assert code == 2
    assert 'pip install matplotlib' in err
    assert not (tmp_path / 'figures').exists()
