"""Calls every public function and method with good and hostile arguments, by the thousand.

    python test/soak_calls.py --calls 10000 --seed 0

Only IkError may leave a call, and a result must be finite and inside the limits.
"""

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import random_calls


def main() -> int:
    """Run; return 0 where only IkError was raised."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--calls', type=int, default=10_000)
    parser.add_argument('--seed', type=int, default=0)
    arguments = parser.parse_args()
    began = told = time.monotonic()
    shown = 0

    def tell(done: int, failures: list[str]) -> None:
        nonlocal told, shown
        for failure in failures[shown:]:
            print(f'\nFAILED: {failure}', flush=True)
        shown = len(failures)
        if time.monotonic() - told > 5.0:
            told = time.monotonic()
            print(f'\r{done:7d} calls', end='', flush=True)

    counts, refused, failures = random_calls.run(arguments.calls, arguments.seed, tell)
    print(f'\n{arguments.calls} calls of {len(counts)} functions and methods in '
          f'{time.monotonic() - began:.0f} s: {refused} refused with an IkError, '
          f'{len(failures)} failed.')
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
