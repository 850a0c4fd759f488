import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ROWS = [line for line in (ROOT / 'docs/troubleshooting.md').read_text().splitlines()
        if line.startswith('| ')]
QUOTED = [text for row in ROWS for text in re.findall('`([^`]+)`', row.split('|')[1])]
# Adjacent literals are one text; a name in braces stands for anything.
SOURCE = ' '.join(re.sub(r"'\s*\n\s*f?'", '', file.read_text())
                  for file in (ROOT / 'ik_node').rglob('*.py'))


@pytest.mark.parametrize('text', QUOTED)
def test_a_message_on_the_page_is_one_of_the_package(text):
    assert text in SOURCE


def test_the_page_quotes_messages():
    assert len(QUOTED) >= 8
