"""Blocks of code in the README and the docs, and what tests do with them."""

import re
import shlex
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / 'README.md', *sorted((ROOT / 'docs').rglob('*.md'))]
BLOCKS = [(page.relative_to(ROOT).as_posix(), language, text) for page in PAGES
          for language, text in re.findall(r'^```(\w+)\n(.*?)^```', page.read_text('utf-8'),
                                           re.DOTALL | re.MULTILINE)]


def lines(text):
    """Yield the commands of a block as lists of words, also where they go on in the next line."""
    begun = ''
    for line in text.replace('\\\n', ' ').splitlines():
        begun += line + '\n'
        try:
            words = shlex.split(re.sub(r' > \S+', '', begun), comments=True)
        except ValueError:  # a quotation that the next line closes
            continue
        begun, command = '', []
        for word in [*words, '&&']:
            if word not in ('&&', '&', '|'):
                command.append(word)
            elif command:
                yield command
                command = []
    assert not begun


def fill(message, values):
    """Set the fields of a message, each of which must exist and take its value."""
    for name, value in values.items():
        assert name in message.get_fields_and_field_types(), (type(message), name)
        field = getattr(message, name)
        if isinstance(value, dict):
            fill(field, value)
        elif not (isinstance(value, list) and value and isinstance(value[0], dict)):
            setattr(message, name, value)
