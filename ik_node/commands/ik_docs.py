"""Generates the tables of the documentation from the declarations in the code.

A table is between the lines `<!-- begin NAME -->` and `<!-- end NAME -->` of a page; the rest of
the page is written by hand.
"""

from ik_node.support.signals import end_quietly

if __name__ == '__main__':
    end_quietly()  # before the imports that take long

import argparse
import re
import sys
from pathlib import Path

from ik_node.commands.reference_tables import tables

_BLOCK = re.compile(r'(<!-- begin (?P<name>.+?) -->\n).*?(<!-- end (?P=name) -->)', re.DOTALL)


def pages(folder: Path) -> list[Path]:
    """Return the pages under a folder."""
    return sorted(folder.rglob('*.md'))


def names_in(text: str) -> list[str]:
    """Return the names of the tables in a page."""
    return [match['name'] for match in _BLOCK.finditer(text)]


def renewed(text: str) -> str:
    """Return a page with current tables. Raises KeyError for unknown names."""
    makers = tables()
    return _BLOCK.sub(lambda match: f'{match[1]}{makers[match["name"]]()}\n{match[3]}', text)


def main(arguments: list[str] | None = None) -> int:
    """Write the pages that have changed; return 1 where --check finds any, 2 for unknown tables."""
    parser = argparse.ArgumentParser(prog='python -m ik_node.commands.ik_docs', description=__doc__)
    parser.add_argument('folder', nargs='?', type=Path, default=Path('docs'))
    parser.add_argument('--check', action='store_true', help='write nothing')
    options = parser.parse_args(arguments)
    stale = 0
    for page in pages(options.folder):
        text = page.read_text(encoding='utf-8')
        try:
            new = renewed(text)
        except KeyError as error:
            print(f'{page}: there is no table {error}', file=sys.stderr)
            return 2
        if new != text:
            stale += 1
            print(f'{page}: {"differs from the code" if options.check else "written"}')
            if not options.check:
                page.write_text(new, encoding='utf-8')
    return 1 if options.check and stale else 0


if __name__ == '__main__':
    sys.exit(main())
