"""Gives the node malformed and hostile inputs by the thousand, made by hypothesis.

    python test/soak_inputs.py --inputs 10000 --seed 0

Each must be refused with a reason or be harmless; the node must not raise, its joint states must
stay valid, and a good goal must be met after every one of them.
"""

import time

from hypothesis import HealthCheck, Phase, given, seed, settings

from harness import hostile_inputs
from harness.hostile_node import HostileNode
from harness.soak_runner import Progress, run_soak


def run(node: HostileNode, inputs: int, number: int, verbose: bool = False) -> None:
    """Give a node so many inputs; raise for the first that does harm, made as small as it goes."""
    progress = Progress()

    @seed(number)
    @settings(max_examples=inputs, database=None, deadline=None, print_blob=False,
              phases=[Phase.generate, Phase.shrink], suppress_health_check=list(HealthCheck))
    @given(hostile_inputs.anything(node))
    def harmless(one):
        began = time.monotonic()
        node.give(one)
        took = time.monotonic() - began
        if verbose and took > 1.0:
            print(f'\n{took:.1f} s for {one!r:.300}')
        if verbose:
            progress.show(f'{node.inputs:7d} inputs, {node.refusals} refused')

    harmless()


def soak(given) -> None:
    """Raise for the first input that does harm."""
    with HostileNode() as node:
        run(node, given.inputs, given.seed, verbose=True)
        print(f'\n{node.inputs} inputs: {node.refusals} refused, the others harmless, a good goal '
              'met after each.')


if __name__ == '__main__':
    run_soak(soak, __doc__, inputs=10_000)
