"""Calls every public function and method with good and hostile arguments, by the thousand.

    python test/soak_calls.py --calls 10000 --seed 0

Only IkError may leave a call, and a result must be finite and inside the limits.
"""

import random_calls
from harness.soak_runner import Progress, run_soak


def soak(given) -> list[str]:
    """Return the calls that raised something else, or returned what none may."""
    progress = Progress()
    counts, refused, failures = random_calls.run(
        given.calls, given.seed, lambda done, failures: progress.show(
            f'{done:7d} calls, {len(failures)} failed'))
    print(f'\n{given.calls} calls of {len(counts)} functions and methods: {refused} refused with '
          'an IkError')
    return failures


if __name__ == '__main__':
    run_soak(soak, __doc__, calls=10_000)
