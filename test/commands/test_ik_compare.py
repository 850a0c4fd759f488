import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import robots
from ik_node import IkError
from ik_node.commands import comparison, comparison_page, ik_compare
from ik_node.commands.comparison import TOLERANCE, VARIANTS, general, measure, methods, textbook
from ik_node.commands.comparison_page import as_page
from ik_node.commands.figures_textbook import Variant
from ik_node.commands.pictures import save_png
from ik_node.solvers.registry import built_in_names

DOCS = Path(__file__).parents[2] / 'docs'
PSEUDOINVERSE = Variant('pseudoinverse', 'pseudoinverse')


@pytest.fixture(scope='module')
def problem():
    """Return the textbook's arm with a few goals."""
    return textbook(robots.chain('planar_3r'), 8, 1)


@pytest.fixture(scope='module')
def row(problem):
    """Return what is measured of the pseudoinverse on that arm."""
    return measure(problem, PSEUDOINVERSE, 1)


def cells(text, method):
    """Return the cells of the lines of a method in the tables of a page."""
    return [[cell.strip() for cell in line.strip('|').split('|')] for line in text.splitlines()
            if line.startswith(f'| {method} |')]


def test_a_row_has_what_its_goals_and_its_path_were_like(problem, row):
    assert row.met == 1.0
    assert row.first <= row.met
    assert 1 <= row.iterations <= 100
    assert 0.0 < row.median <= row.p99
    assert row.frames_met == len(problem.path) - 1 == 20
    for goal, q in zip(problem.path, row.q):
        off = problem.chain.forward(q)[:2, 3] - goal.position[:2]
        assert np.linalg.norm(off) <= TOLERANCE * problem.length
    assert row.sparse > 4.0 * row.tracking


def test_smoothness_is_that_of_the_joints_from_frame_to_frame(row):
    even = replace(row, q=np.outer(np.arange(5), [0.1, -0.2]))
    assert even.largest == pytest.approx(0.2)
    assert even.typical == pytest.approx(np.sqrt((0.1 ** 2 + 0.2 ** 2) / 2))
    assert even.roughness == pytest.approx(0.0, abs=1e-12)
    uneven = replace(row, q=np.array([[0.0], [0.1], [0.3]]))
    assert uneven.roughness == pytest.approx(0.1)


def test_the_same_seed_is_the_same_problem():
    chain = robots.planar(1.0, 0.8, 0.5)
    one, same, other = (general('arm', chain, 3, seed) for seed in (0, 0, 1))
    assert one.starts.tolist() == same.starts.tolist() != other.starts.tolist()
    assert one.q0.tolist() == same.q0.tolist() != other.q0.tolist()
    assert chain.forward(one.q0) == pytest.approx(one.path[0].pose)


def test_goals_ask_of_an_arm_what_it_can_serve():
    problem = general('scara', robots.scara(), 2, 0)
    assert problem.goals[0].weights.tolist() == [1, 1, 1, 0, 0, 1]
    line = np.array([goal.position for goal in problem.path])
    assert np.diff(line, 2, axis=0) == pytest.approx(0.0, abs=1e-12)


def test_a_method_that_does_not_fit_is_left_out_with_the_reason(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(comparison, 'methods', lambda: [
        PSEUDOINVERSE, Variant('no steps', 'analytic', {'damping': -1.0})])
    page = tmp_path / 'page.md'
    assert ik_compare.main(['planar_3r', '--goals', '2', '--repeats', '1', '--output',
                            str(page)]) == 0
    for text in (capsys.readouterr().out, page.read_text(encoding='utf-8')):
        assert re.search('\n- no steps is left out: .*damping', text)
    problem = general('mimicking', robots.mimicking(), 2, 0)
    with pytest.raises(IkError, match='mimic'):
        measure(problem, Variant('analytic', 'analytic'), 1)


def test_an_arm_that_follows_no_straight_path_is_refused():
    with pytest.raises(IkError, match='no straight path'):
        general('stiff', robots.planar(1.0, 1.0, limit=1e-6), 2, 0)


def test_the_page_reads_the_summary_where_all_of_its_methods_were_measured(problem, row):
    rows = [replace(row, method=method) for method in methods()]
    both = dict.fromkeys(('planar_3r', 'arm_7r'), (problem, rows, {}))
    page = as_page(both, 'pictures/comparison.png', 8)
    assert '| they say | measured |' in page
    assert '![Joint values along the path](pictures/comparison.png)' in page
    assert 'nan' not in page
    few = dict.fromkeys(both, (problem, rows[:2], {}))
    assert 'they say' not in as_page(few, None, 8)
    assert 'they say' not in as_page({'planar_3r': both['planar_3r']}, None, 8)


def test_the_command_prints_tables_and_writes_the_page(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(comparison, 'methods', lambda: [PSEUDOINVERSE])
    page = tmp_path / 'page.md'
    assert ik_compare.main(['planar_3r', '--goals', '3', '--repeats', '1', '--output',
                            str(page)]) == 0
    printed = capsys.readouterr()
    assert printed.err == ''
    assert printed.out.startswith('planar_3r: 3 goals, 20 frames\n')
    goals, path = cells(page.read_text(encoding='utf-8'), 'pseudoinverse')
    for cell in (*goals, *path):
        assert re.search(rf'(?m)^pseudoinverse .*{re.escape(cell)}', printed.out) or (
            cell == 'pseudoinverse')
    assert path[5] == '0.182'


def test_a_picture_has_a_panel_for_every_method(monkeypatch, tmp_path):
    pytest.importorskip('matplotlib')
    monkeypatch.setattr(comparison, 'methods', lambda: [PSEUDOINVERSE])
    sheets = []
    monkeypatch.setattr(comparison_page, 'save_png', lambda sheet, file, colors: (
        sheets.append(sheet), save_png(sheet, file, colors)))
    file = tmp_path / 'joints.png'
    assert ik_compare.main(['planar_3r', '--goals', '1', '--repeats', '1', '--png', str(file)]) == 0
    assert file.read_bytes().startswith(b'\x89PNG')
    (arm,) = sheets[0].subfigs
    assert len(arm.axes[0].lines) == 3
    assert [text.get_text() for text in arm.legends[0].texts] == ['joint_1', 'joint_2', 'joint_3']


@pytest.mark.parametrize(('arguments', 'text'), [
    (['planar_3r', '--output', '/tmp'], '/tmp is a folder, not a file to save in'),
    (['planar_3r', '--tip', 'hand'], 'hand')])
def test_what_cannot_be_used_ends_it_with_one_line_and_status_2(arguments, text, capsys):
    assert ik_compare.main(arguments) == 2
    printed = capsys.readouterr()
    assert printed.out == ''
    assert printed.err.startswith('ik_compare: ')
    assert printed.err.count('\n') == 1
    assert text in printed.err


@pytest.mark.parametrize('wrong', ['0', '-3', 'x'])
def test_goals_and_repeats_must_be_above_0(wrong, capsys):
    for option in ('--goals', '--repeats'):
        with pytest.raises(SystemExit):
            ik_compare.main([f'{option}={wrong}'])
        assert f"must be a whole number of at least 1, not '{wrong}'" in capsys.readouterr().err


def test_the_documented_page_has_every_method_on_both_arms():
    page = (DOCS / 'comparison.md').read_text(encoding='utf-8')
    for name in (*built_in_names(), *(method.label for method in VARIANTS)):
        found = len(cells(page, name)) / 2 + page.count(f'- {name} is left out: ')
        assert found == 2, f'{name}: run ik_compare --output docs/comparison.md'
