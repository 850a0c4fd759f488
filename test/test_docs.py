"""The documentation's tables are those of the code, and its links lead somewhere."""

import os
import re
import subprocess
import sys
from collections import Counter
from urllib.parse import unquote

import pytest

import ik_node
from ik_node import solver_names
from ik_node.control.options import (
    ArmOptions,
    ModelOptions,
    NodeOptions,
    ScaleOptions,
    ServoOptions,
    StartOptions,
)
from ik_node.solvers.registry import solver_class
from tables import DOCS, main, options_table, pages, renewed, shown, tables

ROOT = DOCS.parent
PAGES = [ROOT / 'README.md', *pages(DOCS)]


def names_in(text):
    return re.findall('<!-- begin (.+?) -->\n.*?<!-- end \\1 -->', text, re.DOTALL)


@pytest.mark.parametrize('page', pages(DOCS), ids=lambda page: str(page.relative_to(DOCS)))
def test_no_page_differs_from_the_code(page):
    text = page.read_text(encoding='utf-8')
    assert renewed(text) == text, 'run: make docs'


def test_every_table_stands_in_one_page():
    counted = Counter(name for page in pages(DOCS)
                      for name in names_in(page.read_text(encoding='utf-8')))
    assert counted == Counter(tables().keys())


def test_every_solver_has_a_page_with_its_options_and_the_index_names_it():
    index = (DOCS / 'solvers/README.md').read_text(encoding='utf-8')
    for name in solver_names():
        page = (DOCS / f'solvers/{name}.md').read_text(encoding='utf-8')
        assert f'options of {name}' in names_in(page)
        for words in ('## When', '## Sources'):
            assert words in page, name
        assert f'({name}.md)' in index


def test_the_api_reference_has_everything_public():
    text = (DOCS / 'api.md').read_text(encoding='utf-8')
    for module in (ik_node, ik_node.tasks, ik_node.plugins):
        for name in module.__all__:
            assert re.search(rf'\b{name}\b', text), name
    for kind in (ik_node.KinematicTree, ik_node.Chain, ik_node.Goal):
        for name in vars(kind):
            assert name.startswith('_') or name == 'from_parts' or f'{name}' in text, name
    for field in ik_node.Result._fields:
        assert f'- `{field}`: ' in text


def test_the_index_leads_to_every_page():
    index = (DOCS / 'README.md').read_text(encoding='utf-8')
    for page in pages(DOCS):
        if page != DOCS / 'README.md' and page.parent == DOCS:
            assert f'({page.name})' in index, page.name


@pytest.mark.parametrize('page', PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_relative_link_leads_somewhere(page):
    for target in links(page.read_text(encoding='utf-8')):
        if re.match('[a-z]+:', target):
            continue
        path, _, anchor = unquote(target).partition('#')
        file = (page.parent / path).resolve() if path else page
        assert file.exists(), target
        assert file.is_relative_to(ROOT), target
        if file.suffix == '.py':
            lines = file.read_text(encoding='utf-8').splitlines()
            assert not anchor or 'def ' in lines[int(anchor[1:]) - 1], (target, 'run: make docs')
        elif anchor:
            assert anchor in anchors(file.read_text(encoding='utf-8')), target


def links(text):
    """Return where a page's links and pictures lead, code left out."""
    text = re.sub(r'^```.*?^```', '', text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub('`[^`]*`', '', text)
    return re.findall(r'(?:\]\(|src(?:set)?=")([^)"\s]+)', text)


def anchors(text):
    """Return what headings of a page are called, as GitHub makes it of them."""
    return {re.sub(r'[^\w\- ]', '', heading.lower()).replace(' ', '-')
            for heading in re.findall(r'^#+ (.+)$', text, flags=re.MULTILINE)}


def test_a_table_has_every_option_with_default_and_range():
    for options in (ModelOptions, ArmOptions, NodeOptions, StartOptions, ServoOptions, ScaleOptions,
                    *(solver_class(name).Options for name in solver_names())):
        rows = options_table(options).splitlines()[2:]
        assert len(rows) == len(options.specs())
        for row, (name, default) in zip(rows, options.defaults().items()):
            assert row.startswith(f'| `{name}` |')
            assert f'| `{shown(default)}` |' in row
            assert len(re.findall(r'(?<!\\)\|', row)) == 6


def test_the_command_writes_what_differs_and_nothing_else(tmp_path, capsys):
    page = tmp_path / 'page.md'
    page.write_text('before\n<!-- begin options of ccd -->\nold\n'
                    '<!-- end options of ccd -->\nafter\n')
    (tmp_path / 'other.md').write_text('nothing\n')
    assert main([str(tmp_path), '--check']) == 1
    assert 'old' in page.read_text()
    assert main([str(tmp_path)]) == 0
    assert capsys.readouterr().out.count('page.md') == 2
    lines = page.read_text().splitlines()
    assert (lines[0], lines[-1]) == ('before', 'after')
    assert any(line.startswith('| `order` |') for line in lines)
    assert main([str(tmp_path), '--check']) == 0
    page.write_text('<!-- begin nonsense -->\n<!-- end nonsense -->\n')
    assert main([str(tmp_path)]) == 2
    assert "there is no table 'nonsense'" in capsys.readouterr().err


QUOTED = [text for line in (DOCS / 'troubleshooting.md').read_text().splitlines()
          if line.startswith('| ') for text in re.findall('`([^`]+)`', line.split('|')[1])]
# Adjacent literals are one text; a name in braces stands for anything.
SOURCE = ' '.join(re.sub(r"'\s*\n\s*f?'", '', file.read_text())
                  for file in (ROOT / 'ik_node').rglob('*.py'))


def test_every_test_that_a_page_names_exists():
    tests = ''.join(file.read_text(encoding='utf-8') for file in (ROOT / 'test').rglob('test_*.py'))
    named = {name for page in PAGES for name in re.findall(
        r'`(test_\w+)`', page.read_text(encoding='utf-8'))}
    assert len(named) >= 14
    assert [name for name in named if f'def {name}(' not in tests] == []


def test_a_message_that_a_page_quotes_is_one_of_the_package():
    assert len(QUOTED) >= 8
    assert [text for text in QUOTED if text not in SOURCE] == []


def test_the_site_is_built_without_a_warning_and_has_the_files_that_pages_link_to(tmp_path):
    pytest.importorskip('mkdocs', reason='mkdocs-material is not installed')
    run = subprocess.run(
        [sys.executable, '-m', 'mkdocs', 'build', '--strict', '--site-dir', str(tmp_path)],
        cwd=ROOT, capture_output=True, text=True, timeout=300, check=False,
        env={**os.environ, 'NO_MKDOCS_2_WARNING': '1'})
    assert run.returncode == 0, run.stderr
    assert (tmp_path / 'source/examples/two_hands.py').is_file()
    assert 'href="source/examples/two_hands.py"' in (tmp_path / 'tasks.html').read_text()
