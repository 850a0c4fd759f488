"""Runs a soak script: its arguments, its progress and its report."""

import argparse
import sys
import time


def run_soak(soak, doc, **defaults):
    """Run a soak with the arguments of the command line; exit with 1 where it finds faults.

    soak: gets the arguments, and returns faults, a line each, or their number. defaults: of the
    arguments, whose types follow from them: a list is one of several choices, a type has no
    default. `seed` is always there.
    """
    parser = argparse.ArgumentParser(description=doc,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in {**defaults, 'seed': 0}.items():
        options = {'default': default, 'type': type(default)}
        if isinstance(default, bool):
            options = {'action': 'store_true'}
        elif isinstance(default, (list, tuple)):
            options = {'nargs': '*', 'default': list(default), 'type': type(default[0]),
                       'choices': default if isinstance(default[0], str) else None}
        elif isinstance(default, type):
            options = {'type': default}
        parser.add_argument(f'--{name}', **options)
    began, faults = time.monotonic(), soak(parser.parse_args())
    lines = faults if isinstance(faults, list) else []
    print(*(f'FAULT: {line}' for line in lines), sep='\n', end='\n' * bool(lines))
    print(f'{len(lines) if lines else int(faults or 0)} faults in '
          f'{time.monotonic() - began:.0f} s')
    sys.exit(1 if faults else 0)


class Progress:
    """Shows a line that replaces the last one, at most every five seconds."""

    def __init__(self):
        self.began = self._shown = time.monotonic()

    @property
    def seconds(self):
        """The time since the beginning, s."""
        return time.monotonic() - self.began

    def show(self, text):
        """Show a text; return whether it was time for it."""
        due = time.monotonic() - self._shown > 5.0
        if due:
            self._shown = time.monotonic()
            print(f'\r{text}', end='', flush=True)
        return due


