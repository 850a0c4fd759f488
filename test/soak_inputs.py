"""Gives the node malformed and hostile inputs by the thousand, made by hypothesis.

    python test/soak_inputs.py --inputs 10000 --seed 0

Each must be refused with a reason or be harmless; the node must not raise, its joint states must
stay valid, and a good goal must be met after every one of them.
"""

import argparse
import sys
import time
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, seed, settings

sys.path.insert(0, str(Path(__file__).parent))

import hostile_inputs
from hostile_node import HostileNode


def run(node: HostileNode, inputs: int, number: int, verbose: bool = False) -> None:
    """Give a node so many inputs; raise for the first that does harm, made as small as it goes."""
    began = told = time.monotonic()

    @seed(number)
    @settings(max_examples=inputs, database=None, deadline=None, print_blob=False,
              phases=[Phase.generate, Phase.shrink], suppress_health_check=list(HealthCheck))
    @given(hostile_inputs.anything(node))
    def harmless(one):
        nonlocal told
        began_one = time.monotonic()
        node.give(one)
        took = time.monotonic() - began_one
        if verbose and took > 1.0:
            print(f'\n{took:.1f} s for {one!r:.300}')
        if verbose and time.monotonic() - told > 5.0:
            told = time.monotonic()
            print(f'\r{node.inputs:7d} inputs, {node.refusals} refused, '
                  f'{node.inputs / (told - began):.0f} a second', end='', flush=True)

    harmless()


def main() -> int:
    """Run; return 0 where nothing did harm."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--inputs', type=int, default=10_000)
    parser.add_argument('--seed', type=int, default=0)
    arguments = parser.parse_args()
    with HostileNode() as node:
        began = time.monotonic()
        run(node, arguments.inputs, arguments.seed, verbose=True)
        print(f'\n{node.inputs} inputs in {time.monotonic() - began:.0f} s: {node.refusals} '
              'refused, the others harmless, a good goal met after each.')
    return 0


if __name__ == '__main__':
    sys.exit(main())
